import type { AudioFrame, SampleRate } from '../../src/audio/index.ts'
import { inVirtualTime, partContext } from '../../src/testing/index.ts'
import type { SilentVendor } from './vendors.ts'

/** What happens on the call while the vendor is silent. */
export type Activity = 'the caller talks' | 'the agent waits' | 'nothing'

export interface Silence {
  readonly during: Activity
  /** Whether the vendor still answers pings. */
  readonly pongs: boolean
}

/** Milliseconds from the beginning of the silence; undefined if it did not happen. */
export interface Reaction {
  /** The link dropped its connection. */
  readonly noticed: number | undefined
  /** The provider reported a failure to the session. */
  readonly failed: number | undefined
}

/** When each connection falls silent: after its setup. */
const SILENT_AFTER = 500
const STEP = 20

/** Measures how long a provider takes to notice that its vendor is connected but says nothing. */
export async function measure(
  vendor: SilentVendor,
  { during, pongs }: Silence,
  limit = 300_000,
): Promise<Reaction> {
  let noticed: number | undefined
  let failed: number | undefined
  await inVirtualTime(async (world) => {
    const { clock, network } = world
    vendor.serve(network, clock, { silentAfter: SILENT_AFTER, pongs })
    const since = (): number => Math.round(clock.now() - start - SILENT_AFTER)
    const log = (_fields: object, message: string): void => {
      if (message === 'link lost its connection' || message === 'link failed') noticed ??= since()
    }
    const logger = { debug: log, info: log, warn: log, error: log }
    const context = partContext(world, { logger })
    const start = clock.now()
    const part = await vendor.open(context, () => (failed ??= since()))
    await clock.elapse(SILENT_AFTER)
    if (during === 'the agent waits') part.ask?.()
    for (let ms = 0; ms < limit; ms += STEP) {
      if (noticed !== undefined && failed !== undefined) break
      if (during === 'the caller talks') part.hear?.(voice(ms, vendor.sampleRate))
      await clock.elapse(STEP)
    }
    await context.scope.close()
  })
  return { noticed, failed }
}

/** 20 ms that sound like a voice: syllables, and pauses between words. */
function voice(at: number, sampleRate: SampleRate): AudioFrame {
  const samples = new Int16Array((sampleRate * STEP) / 1_000)
  const loud = at % 1_000 < 800
  for (let n = 0; n < samples.length; n++)
    samples[n] = loud ? 8_000 * Math.sin(((n % 80) / 80) * 2 * Math.PI) : 0
  return { samples, sampleRate }
}
