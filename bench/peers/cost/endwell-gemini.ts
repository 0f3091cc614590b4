import { GeminiLive } from '../../../src/providers/gemini/index.ts'
import type { CostSubject } from './cost-subject.ts'
import { startSession } from './endwell-session.ts'

export const subject: CostSubject = {
  imports: ['index.js', 'providers/gemini/index.js'].map(
    (path) => new URL(`../../../src/${path}`, import.meta.url).href,
  ),
  vendor: 'gemini',
  start: (url) => startSession({ realtime: new GeminiLive({ url, apiKey: 'key' }) }),
}
