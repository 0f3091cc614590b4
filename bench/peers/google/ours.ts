import { GeminiLive } from '../../../src/providers/gemini/index.ts'
import type { Call, Stage } from '../case.ts'
import { OurRealtime, type OurRealtimeOptions } from '../our-realtime.ts'

type Options = Omit<OurRealtimeOptions, 'models'>

const models: OurRealtimeOptions['models'] = ({ ws }) => ({
  realtime: new GeminiLive({ url: ws, apiKey: 'key' }),
})

/** Our session on the same server. */
export const started = (stage: Stage, options: Options = {}): Promise<OurRealtime> =>
  OurRealtime.started(stage, { models, ...options })

/** One that is closed in the middle of its start. */
export async function starting(stage: Stage): Promise<Call> {
  const call = new OurRealtime(stage, { models }).starting()
  await stage.seen({ connections: 1 })
  return call
}
