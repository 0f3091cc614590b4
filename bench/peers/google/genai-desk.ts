import { GoogleGenAI, Modality, type LiveServerMessage, type Session } from '@google/genai'
import { guardGemini } from '../../../src/guard/index.ts'
import { noop } from '../../../src/scope/index.ts'
import type { Call, Stage } from '../case.ts'
import { Ends } from '../ends.ts'
import { CLOSE_TIMEOUT } from '../ours.ts'
import { told } from '../told.ts'

export const MODEL = 'gemini-2.5-flash-live'

/** The client of the vendor, on the far side. */
export const clientOf = (stage: Stage): GoogleGenAI =>
  new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: stage.http } })

/** A live session of `@google/genai` as its users make one. */
export class GenaiDesk {
  readonly stage: Stage
  /** What the app does with a message. */
  onMessage: (message: LiveServerMessage) => void = noop
  readonly #guard
  readonly #live
  readonly #ends = new Ends()
  #session: Session | undefined

  constructor(stage: Stage) {
    this.stage = stage
    const { live } = clientOf(stage)
    this.#live = live
    if (stage.column === 'plain') return
    this.#guard = guardGemini(live, { closeTimeout: CLOSE_TIMEOUT, connectTimeout: 2_000, onLate: noop })
    this.#guard.on('closed', this.#ends.tell)
  }

  static async connected(stage: Stage): Promise<GenaiDesk> {
    const desk = new GenaiDesk(stage)
    await desk.connect()
    return desk
  }

  /** Connects, or connects again with a handle: the newest session is the one that is closed. */
  async connect(handle?: string): Promise<void> {
    this.#session = await (this.#guard ?? this.#live).connect({
      model: MODEL,
      config: {
        responseModalities: [Modality.AUDIO],
        sessionResumption: handle === undefined ? {} : { handle },
      },
      callbacks: {
        onmessage: (message) => this.onMessage(message),
        onclose: () => {
          if (!this.#guard) this.#ends.tell()
        },
      },
    })
  }

  call(more: Partial<Call> = {}): Call {
    return {
      close: () => (this.#guard ? this.#guard.close().then(told) : this.#session?.close()),
      onClosed: this.#ends.listen,
      ...more,
    }
  }

  /** Until `connect()` has settled there is no session, and nothing that could be closed. */
  async connecting(): Promise<Call> {
    const connecting = this.connect().catch(noop)
    await this.stage.seen({ connections: 1 })
    const guard = this.#guard
    return this.call({
      close: () =>
        guard ? Promise.all([guard.close(), connecting]).then(([report]) => told(report)) : connecting,
    })
  }
}
