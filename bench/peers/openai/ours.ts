import { OpenAIRealtime } from '../../../src/providers/openai/index.ts'
import type { CaseContext } from '../case.ts'
import { OurRealtime, type OurRealtimeOptions } from '../our-realtime.ts'

type Options = Omit<OurRealtimeOptions, 'models'>

const models: OurRealtimeOptions['models'] = ({ ws }) => ({
  realtime: new OpenAIRealtime({ url: ws, apiKey: 'key' }),
})

/** A session of endwell on the same server. */
export const prepare = (context: CaseContext, options: Options = {}): OurRealtime =>
  new OurRealtime(context, { models, ...options })

export const started = (context: CaseContext, options: Options = {}): Promise<OurRealtime> =>
  OurRealtime.started(context, { models, ...options })
