import { keyDuration } from '../../audio/index.ts'
import { noop, pause } from '../../scope/index.ts'
import { newKey } from '../secrets.ts'
import { keysDocument } from './carrier.ts'
import { KeysNotPressedError } from './errors.ts'
import { FarCall, type FarCallOptions } from './far-call.ts'

interface KeysOutcome {
  readonly pressed: boolean
  readonly why?: string | undefined
}

export interface CarrierKeysOptions {
  readonly far: FarCallOptions
  /** Where the carrier asks how to go on, after it has pressed keys by a document. */
  readonly after: string
  /** Gives the carrier this document, which takes so many milliseconds. `settle` is called with what became of it. */
  readonly redirect: (document: string, lasts: number) => void
  /** The carrier says that the call has ended. */
  readonly ended: () => void
}

/**
 * Presses telephone keys by means of the carrier (KY9), one press after the other. Telnyx presses them beside the stream. Twilio is
 * given a document for that, which ends the stream, and then connects the call to us again: `CallLife` knows where the call is.
 */
export class CarrierKeys {
  readonly #options: CarrierKeysOptions
  readonly #far: FarCall
  readonly #ended = new AbortController()
  #settle: ((outcome: KeysOutcome) => void) | undefined
  /** Presses that have no outcome yet. */
  #waiting = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: CarrierKeysOptions) {
    this.#options = options
    this.#far = new FarCall(options.far)
  }

  get isBusy(): boolean {
    return this.#waiting > 0
  }

  /** Resolves when nothing is being pressed. */
  get idle(): Promise<unknown> {
    return this.#last
  }

  /** Resolves when the keys were pressed. Rejects if the carrier has not confirmed that. */
  press(keys: string): Promise<void> {
    const pressed = this.#last.then(() => this.#press(keys))
    this.#waiting++
    this.#last = pressed.catch(noop).then(() => this.#waiting--)
    return pressed
  }

  /** The machine knows what became of the keys. */
  settle(outcome: KeysOutcome): void {
    this.#settle?.(outcome)
    this.#settle = undefined
  }

  /** The call has ended. */
  end(): void {
    this.#ended.abort()
    this.settle({ pressed: false, why: 'the call has ended' })
  }

  async #press(keys: string): Promise<void> {
    const { far, after, redirect } = this.#options
    const { pressed, why } = far.carrier.press
      ? await this.#pressBeside(keys)
      : await new Promise<KeysOutcome>((settle) => {
          this.#settle = settle
          redirect(keysDocument(keys, after), keyDuration(keys))
        })
    if (!pressed) throw new KeysNotPressedError(far.call, why ?? 'the carrier has not confirmed it')
  }

  /** The carrier does not report when it has pressed the keys: they take as long as they take. */
  async #pressBeside(keys: string): Promise<KeysOutcome> {
    const { far, ended } = this.#options
    const { signal } = this.#ended
    const { how, why } = await this.#far.press(
      far.carrier.press?.(far.call, keys, newKey()),
      () => !signal.aborted,
    )
    if (how === 'gone') ended()
    if (how === 'accepted') await pause(far.clock, keyDuration(keys), 'the carrier presses keys', signal)
    return { pressed: how === 'accepted' && !signal.aborted, why: why ?? 'the call has ended' }
  }
}
