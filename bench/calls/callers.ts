import { bytesFromSamples } from '../../src/audio/index.ts'
import { clip } from '../../test/fixtures/speech.ts'
import { dialPhone } from '../phone/caller.ts'
import { during } from '../talking.ts'
import { dialEcho, dialLine, type Caller } from './caller.ts'

const dials = { line: dialLine, echo: dialEcho, phone: dialPhone } as const

/** What the callers dial. */
export type Far = keyof typeof dials

/** Orders for the process of the callers, which answers each one with a `CallersAnswer` once it is carried out. */
export type CallersOrder =
  | { readonly type: 'call'; readonly url: string; readonly calls: number; readonly far: Far }
  | { readonly type: 'count' }
  | { readonly type: 'hang-up' }

/** How many frames all callers together have sent and received. */
export interface CallersAnswer {
  readonly sent: number
  readonly heard: number
}

const FRAME = 320
const FRAMES_PER_LOOP = 250
/** Milliseconds of a loop, which is also how long the agent speaks. */
const LOOP = 5_000

/** Five seconds of a caller: a question with room noise. */
function voice(): Uint8Array[] {
  const { samples } = clip('what are your opening hours')
  let seed = 1
  const noise = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return (seed / 2 ** 31 - 0.5) * 60
  }
  return Array.from({ length: FRAMES_PER_LOOP }, (_, frame) =>
    bytesFromSamples(
      Int16Array.from({ length: FRAME }, (__, n) => (samples[frame * FRAME + n] ?? 0) + noise()),
    ),
  )
}

const frames = voice()
let callers: Caller[] = []

function count(): CallersAnswer {
  return {
    sent: callers.reduce((sum, { sent }) => sum + sent, 0),
    heard: callers.reduce((sum, { heard }) => sum + heard, 0),
  }
}

let ended = 0
let onEnded = (): void => {}

async function call({ url, calls, far }: CallersOrder & { type: 'call' }): Promise<void> {
  const dial = dials[far]
  callers = []
  ended = 0
  for (let n = 0; n < calls; n++) {
    await new Promise<void>((talking, fail) => {
      const first = (n * FRAMES_PER_LOOP) / calls
      const events = {
        talking,
        ended: () => {
          ended++
          onEnded()
          // No-op once the caller talks.
          fail(new Error(`call ${n + 1} was refused, or ended before it began`))
        },
      }
      callers.push(dial(url, { frames, first: Math.floor(first) }, events))
    })
    // One after another: otherwise all agents would begin to speak in the same second, and the median of several would miss it.
    await during(LOOP / calls)
  }
}

function hangUp(): Promise<void> {
  for (const caller of callers) caller.hangUp()
  return new Promise((resolve) => {
    onEnded = () => {
      if (ended === callers.length) resolve()
    }
    onEnded()
  })
}

// The ticks of the callers are spread over 20 ms, so that some are due every millisecond. Late ticks are caught up.
const began = performance.now()
let turn = 0
setInterval(() => {
  for (const now = performance.now() - began; turn < now; turn++)
    for (let n = turn % 20; n < callers.length; n += 20) callers[n]!.tick()
}, 1)

process.on('message', (order: CallersOrder) => {
  const done = order.type === 'call' ? call(order) : order.type === 'hang-up' ? hangUp() : Promise.resolve()
  done.then(
    () => process.send!(count()),
    (error: unknown) => {
      throw error
    },
  )
})
process.once('disconnect', () => process.exit())
