import { OpenAIRealtime } from '../../../src/providers/openai/index.ts'
import type { CostSubject } from './cost-subject.ts'
import { startSession } from './endwell-session.ts'

export const subject: CostSubject = {
  imports: ['index.js', 'providers/openai/index.js'].map(
    (path) => new URL(`../../../src/${path}`, import.meta.url).href,
  ),
  vendor: 'openai',
  start: (url) => startSession({ realtime: new OpenAIRealtime({ url, apiKey: 'key' }) }),
}
