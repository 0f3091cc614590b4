import { pcm, type AudioFormat, type AudioFrame } from '../audio/index.ts'
import type { Line, LineConnection, LineEvents, PartContext } from '../parts/index.ts'
import { PartInstances, type PartCounts } from './part-instances.ts'
import type { HeardFrame } from './playout-record.ts'
import { TestCaller } from './test-caller.ts'
import { TestConnection } from './test-connection.ts'
import { lineNames, type TestLineOptions } from './test-line-options.ts'
import { checkOptions } from '../scope/index.ts'

/**
 * A line to a simulated caller, who hears audio in the clock's time. Everything the caller has heard is recorded.
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
  readonly hears: AudioFormat
  readonly speaks: AudioFormat
  readonly counts: PartCounts
  readonly caller: TestCaller
  readonly options: Readonly<TestLineOptions>
  readonly #instances: PartInstances
  #connection: TestConnection | undefined

  constructor(options: TestLineOptions = {}) {
    checkOptions('TestLine', options, lineNames)
    this.options = options
    this.#instances = new PartInstances('line', options, 'closed')
    this.counts = this.#instances
    this.name = this.#instances.name
    this.hears = options.hears ?? pcm(16_000)
    this.speaks = options.speaks ?? this.hears
    this.caller = new TestCaller(() => this.connection)
  }

  open(context: PartContext, events: LineEvents): Promise<LineConnection> {
    return this.#instances.open(context, (instance) => {
      this.#connection = new TestConnection(instance, events, this.hears, this.options)
      return this.#connection
    })
  }

  /** The call. Throws if it has not been answered yet. */
  get connection(): TestConnection {
    if (this.#connection) return this.#connection
    throw new Error(`line '${this.name}' has not been opened yet: start the session first`)
  }

  /** Every frame that the caller has heard so far. */
  get heard(): readonly HeardFrame[] {
    return this.connection.heard
  }

  /** The words that the caller has heard so far, if a `ScriptedTts` of the same rate spoke them. */
  get heardText(): string {
    return this.connection.heardText
  }

  /** The telephone keys that the caller has heard as tones so far. */
  get heardKeys(): string {
    return this.connection.heardKeys(this.speaks.sampleRate)
  }

  /** Milliseconds of audio, excluding silence, that the caller heard after closing began (CL9). */
  get audibleAfterClosing(): number {
    return this.connection.audibleAfterClosing
  }

  /** Frames that were played after closing began or the call had ended. */
  get playedTooLate(): readonly AudioFrame[] {
    return this.connection.playedTooLate
  }
}
