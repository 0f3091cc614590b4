import { GeminiLive } from '../../../src/providers/gemini/index.ts'
import type { Call, CaseContext } from '../case.ts'
import { OurRealtime, type OurRealtimeOptions } from '../our-realtime.ts'

type Options = Omit<OurRealtimeOptions, 'models'>

const models: OurRealtimeOptions['models'] = ({ ws }) => ({
  realtime: new GeminiLive({ url: ws, apiKey: 'key' }),
})

/** A session of endwell on the same server. */
export const started = (context: CaseContext, options: Options = {}): Promise<OurRealtime> =>
  OurRealtime.started(context, { models, ...options })

/** A session of endwell that is closed while it starts. */
export async function starting(context: CaseContext): Promise<Call> {
  const call = new OurRealtime(context, { models }).starting()
  await context.seen({ connections: 1 })
  return call
}
