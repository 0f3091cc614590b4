import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { Line, LineConnection, LineEvents, PartContext } from '../parts/index.ts'
import { PartInstances, type PartCounts } from './part-instances.ts'
import type { HeardFrame } from './playout-record.ts'
import { TestCaller } from './test-caller.ts'
import { TestConnection } from './test-connection.ts'
import type { TestLineOptions } from './test-line-options.ts'

/**
 * A line to a caller who lives in the clock's time: hears what is played at the speed at which it sounds, and
 * remembers it.
 *
 * ```ts
 * const line = new TestLine()
 * const session = new Session({ agent, models, line })
 * await session.start()
 * await line.caller.hears('Good morning')
 * await line.caller.says('I need an appointment')
 * line.caller.hangsUp()
 * ```
 */
export class TestLine implements Line {
  readonly name: string
  readonly sampleRate: SampleRate
  readonly counts: PartCounts
  /** The one at the other end. */
  readonly caller: TestCaller
  readonly options: Readonly<TestLineOptions>
  readonly #instances: PartInstances
  #connection: TestConnection | undefined

  constructor(options: TestLineOptions = {}) {
    this.options = options
    this.#instances = new PartInstances('line', options, 'closed')
    this.counts = this.#instances
    this.name = this.#instances.name
    this.sampleRate = options.sampleRate ?? 16_000
    this.caller = new TestCaller(() => this.connection)
  }

  open(context: PartContext, events: LineEvents): Promise<LineConnection> {
    return this.#instances.open(context, (instance) => {
      this.#connection = new TestConnection(instance, events, this.sampleRate, this.options)
      return this.#connection
    })
  }

  /** The call. Throws if nobody has answered yet. */
  get connection(): TestConnection {
    if (this.#connection) return this.#connection
    throw new Error(`line '${this.name}' has not been opened yet: start the session first`)
  }

  /** Every frame that reached the caller's ear so far. */
  get heard(): readonly HeardFrame[] {
    return this.connection.heard
  }

  /** The words that reached the caller's ear so far, if a `ScriptedTts` of the same rate spoke them. */
  get heardText(): string {
    return this.connection.heardText
  }

  /** Milliseconds of sound, silence not counted, that were heard after closing began (CL9). */
  get audibleAfterClosing(): number {
    return this.connection.audibleAfterClosing
  }

  /** Frames that somebody tried to play after closing began or the caller was gone. */
  get playedTooLate(): readonly AudioFrame[] {
    return this.connection.playedTooLate
  }
}
