import { OpenAIRealtime } from '../../../src/providers/openai/index.ts'
import type { Stage } from '../case.ts'
import { OurRealtime, type OurRealtimeOptions } from '../our-realtime.ts'

type Options = Omit<OurRealtimeOptions, 'models'>

const models: OurRealtimeOptions['models'] = ({ ws }) => ({
  realtime: new OpenAIRealtime({ url: ws, apiKey: 'key' }),
})

/** Our session on the same server. */
export const prepare = (stage: Stage, options: Options = {}): OurRealtime =>
  new OurRealtime(stage, { models, ...options })

export const started = (stage: Stage, options: Options = {}): Promise<OurRealtime> =>
  OurRealtime.started(stage, { models, ...options })
