import { GoogleGenAI, Modality, type LiveServerMessage, type Session } from '@google/genai'
import { guardGemini } from '../../../src/guard/index.ts'
import { noop } from '../../../src/scope/index.ts'
import type { Call, CaseContext } from '../case.ts'
import { ClosedEvents } from '../closed-events.ts'
import { CLOSE_TIMEOUT } from '../ours.ts'
import { summarize } from '../guarded-call.ts'

export const MODEL = 'gemini-2.5-flash-live'

/** A client whose API is at the far side. */
export const clientOf = (context: CaseContext): GoogleGenAI =>
  new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: context.http } })

/** A live session of `@google/genai` as its users create it. */
export class GenaiSubject {
  readonly context: CaseContext
  /** What the app does with a message. */
  onMessage: (message: LiveServerMessage) => void = noop
  readonly #guard
  readonly #live
  readonly #closedEvents = new ClosedEvents()
  #session: Session | undefined

  constructor(context: CaseContext) {
    this.context = context
    const { live } = clientOf(context)
    this.#live = live
    if (context.column === 'plain') return
    this.#guard = guardGemini(live, { closeTimeout: CLOSE_TIMEOUT, connectTimeout: 2_000, onLate: noop })
    this.#guard.on('closed', this.#closedEvents.emit)
  }

  static async connected(context: CaseContext): Promise<GenaiSubject> {
    const subject = new GenaiSubject(context)
    await subject.connect()
    return subject
  }

  /** Connects, or connects again with a handle. Only the newest session is closed. */
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
          if (!this.#guard) this.#closedEvents.emit()
        },
      },
    })
  }

  call(more: Partial<Call> = {}): Call {
    return {
      close: () => (this.#guard ? this.#guard.close().then(summarize) : this.#session?.close()),
      onClosed: this.#closedEvents.on,
      ...more,
    }
  }

  /** A call that is closed while it connects. Until `connect()` settles, there is no session to close. */
  async connecting(): Promise<Call> {
    const connecting = this.connect().catch(noop)
    await this.context.seen({ connections: 1 })
    const guard = this.#guard
    return this.call({
      close: () =>
        guard ? Promise.all([guard.close(), connecting]).then(([report]) => summarize(report)) : connecting,
    })
  }
}
