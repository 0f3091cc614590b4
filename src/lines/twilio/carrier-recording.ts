import type { RecordingChange } from '../../parts/index.ts'
import { noop, pause } from '../../scope/index.ts'
import { askCarrier } from './ask-carrier.ts'
import type { FarCallOptions } from './far-call.ts'
import { limits } from './limits.ts'
import { asName, parse } from './stream-json.ts'

/** The status of a recording, in the words of the carriers, after each change. */
const statusAfter = { start: 'in-progress', pause: 'paused', resume: 'in-progress', stop: 'stopped' } as const

/**
 * The recording of one call at its carrier (RC1). Changes are made one after the other, each in bounded time. A start is never
 * repeated, since the carrier could record twice; the other changes are, until the carrier confirms them.
 */
export class CarrierRecording {
  readonly #far: FarCallOptions
  readonly #callback: string
  /** The carrier's name for the recording. */
  #id: string | undefined
  #running = false
  /** Whether the answer to a start was lost: the carrier may begin to record at any time. */
  #mayBegin = false
  #last: Promise<unknown> = Promise.resolve()
  readonly #ended = new AbortController()

  /** `callback`: where the carrier reports that the recording is there. */
  constructor(far: FarCallOptions, callback: string) {
    this.#far = far
    this.#callback = callback
  }

  /** Resolves to whether the carrier has confirmed it. Never rejects. */
  change(change: RecordingChange): Promise<boolean> {
    const done = this.#last.then(() => this.#change(change))
    this.#last = done.catch(noop)
    return done
  }

  /** The call has ended, and its recording with it. */
  end(): void {
    this.#ended.abort()
  }

  async #change(change: RecordingChange): Promise<boolean> {
    if (change === 'start' && this.#running) return await this.#change('resume')
    for (let tries = 1; ; tries++) {
      const how = await this.#ask(change)
      if (how !== 'silent') return how === 'confirmed'
      if (change === 'start' || tries >= limits.tries || this.#ended.signal.aborted) return false
      await pause(this.#far.clock, limits.pause, 'record again', this.#ended.signal)
    }
  }

  async #ask(change: RecordingChange): Promise<'confirmed' | 'refused' | 'silent'> {
    const { carrier, call, account } = this.#far
    const request = carrier.record(call, account, { change, id: this.#id, callback: this.#callback })
    if (!request) return 'refused'
    const { clock, fetch: ask } = this.#far
    const answer = await askCarrier({ clock, fetch: ask, signal: this.#ended.signal }, request)
    // The answer to a start may have been lost, and the recording may run.
    const isSilent = answer.status === undefined || answer.passing
    if (change === 'start') {
      this.#running = isSilent || answer.status < 300
      this.#mayBegin = isSilent
    }
    if (isSilent) return 'silent'
    if (answer.status >= 300) return this.#hasEnded(change, answer.status, answer.body)
    this.#mayBegin = false
    const { sid, status } = parse(answer.body) ?? {}
    this.#id ??= asName(sid)
    if (change === 'stop') this.#running = false
    if (change === 'stop') this.#id = undefined
    return status === statusAfter[change] ? 'confirmed' : 'refused'
  }

  /** What does not run need not be paused, unless it may begin in a moment. */
  #hasEnded(change: RecordingChange, status: number, body: string): 'confirmed' | 'refused' {
    const { carrier } = this.#far
    const stops = change === 'pause' || change === 'stop'
    return stops && !this.#mayBegin && carrier.hasEnded(status, body) ? 'confirmed' : 'refused'
  }
}
