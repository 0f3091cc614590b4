import { callOut, noop } from '../../scope/index.ts'
import type { Recordings } from '../recordings.ts'
import { defaultPriceList, type PriceList } from '../../session/index.ts'
import type { AgentFile, CallOptions } from '../agent-file.ts'

/**
 * The session options of one call, from the agent file. They are needed before the call is answered, because the journal
 * keeps the place of its recording. They may hold an open recording, so the file is asked once for each part of a call.
 */
export class CallSettings {
  readonly #file: AgentFile
  readonly #id: string
  /** Where to record a call for which the agent file has no recording. */
  readonly #recordings: Recordings | undefined
  /** For calls for which the agent file has no price list. */
  readonly #priceList: PriceList
  #asked: { readonly part: number; readonly options: CallOptions } | undefined

  constructor(
    { file, priceList = defaultPriceList }: { file: AgentFile; priceList?: PriceList | undefined },
    id: string,
    recordings?: Recordings,
  ) {
    this.#file = file
    this.#priceList = priceList
    this.#id = id
    this.#recordings = recordings
  }

  /** Where a new call will be recorded: the process that closes it if this one is killed has to know. */
  get place(): string | undefined {
    // If this fails, it fails again when the session is made, and is reported then.
    const { recording } = callOut(() => this.of(1), noop) ?? {}
    return typeof recording?.place === 'string' ? recording.place : undefined
  }

  /** Throws what the agent file throws. */
  of(part: number): CallOptions {
    if (this.#asked?.part === part) return this.#asked.options
    this.discard()
    const { session = {} } = this.#file
    const given = typeof session === 'function' ? session({ id: this.#id, part }) : session
    const own =
      this.#recordings && !given.recording
        ? { ...given, recording: this.#recordings.sink(this.#id, part) }
        : undefined
    // A recording that all calls share is not for one of them to give up.
    if (!own && typeof session !== 'function') return given
    const options = own ?? given
    this.#asked = { part, options }
    return options
  }

  /** The options of the session, with the host's own where the agent file has none. Throws what the agent file throws. */
  whole(part: number): CallOptions {
    return { priceList: this.#priceList, ...this.of(part) }
  }

  /** No session will use them. */
  discard(): void {
    const { recording } = this.#asked?.options ?? {}
    this.#asked = undefined
    if (recording) callOut(() => recording.abort(), noop)
  }
}
