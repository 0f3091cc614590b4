import { bytesFromSamples } from '../../src/audio/index.ts'
import { clip } from '../../test/fixtures/speech.ts'
import { dialPhone } from '../phone/caller.ts'
import { dialEcho, dialLine, type Caller } from './caller.ts'

const dials = { line: dialLine, echo: dialEcho, phone: dialPhone } as const

/** Whom the callers talk to. */
export type Far = keyof typeof dials

/** What the process of the callers is asked for. It answers each with a `CallersAnswer`, when it is so. */
export type CallersOrder =
  | { readonly type: 'call'; readonly url: string; readonly calls: number; readonly far: Far }
  | { readonly type: 'count' }
  | { readonly type: 'hang-up' }

/** Frames that all of them have sent, and heard, in all. */
export interface CallersAnswer {
  readonly sent: number
  readonly heard: number
}

const FRAME = 320
const FRAMES_A_ROUND = 250

/** Five seconds of a caller: a question, and the noise of a room. */
function voice(): Uint8Array[] {
  const { samples } = clip('what are your opening hours')
  let seed = 1
  const noise = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return (seed / 2 ** 31 - 0.5) * 60
  }
  return Array.from({ length: FRAMES_A_ROUND }, (_, frame) =>
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
let told = (): void => {}

async function call({ url, calls, far }: CallersOrder & { type: 'call' }): Promise<void> {
  const dial = dials[far]
  callers = []
  ended = 0
  for (let n = 0; n < calls; n++) {
    await new Promise<void>((talking) => {
      const first = (n * FRAMES_A_ROUND) / calls
      const events = {
        talking,
        ended: () => {
          ended++
          told()
        },
      }
      callers.push(dial(url, { frames, first: Math.floor(first) }, events))
    })
  }
}

function hangUp(): Promise<void> {
  for (const caller of callers) caller.hangUp()
  return new Promise((resolve) => {
    told = () => {
      if (ended === callers.length) resolve()
    }
    told()
  })
}

// Callers begin at different moments: in every millisecond it is the turn of some. One that is late catches up.
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
