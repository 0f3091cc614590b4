import type { AssemblyAIControl, AssemblyAIEvent, AssemblyAITurn } from './assemblyai-events.ts'
import type { ServerConnection } from './server-connection.ts'
import type { HeardTurn } from './turn-hearing.ts'
import { TurnSession, type TurnSessionOptions } from './turn-session.ts'

/** The audio in one message, in milliseconds. */
const SHORTEST = 50
const LONGEST = 1_000
const MAX_SESSION = 3 * 60 * 60_000

/** One connection of an `AssemblyAIServer`. */
export class AssemblyAISession extends TurnSession {
  readonly #begun: number
  /** Whether its model is one of the third generation, which reports starts and formats every turn. */
  readonly #isThird: boolean

  constructor(connection: ServerConnection, options: TurnSessionOptions) {
    super(connection, options, { eager: 150, end: 400 })
    this.#begun = connection.clock.now()
    this.#isThird = /^(universal-3|u3)/.test(this.query.get('speech_model') ?? '')
    const id = `session-${options.number}`
    this.#send({ type: 'Begin', id, expires_at: 1_800_000_000 })
    connection.after(MAX_SESSION, 'longest session of assemblyai', () =>
      this.#fail(3008, 'Session Expired: maximum session duration exceeded'),
    )
  }

  protected override hearAudio(bytes: Uint8Array): void {
    const before = this.hearing.time
    super.hearAudio(bytes)
    const duration = this.hearing.time - before
    if (duration < SHORTEST || duration > LONGEST)
      this.#fail(3007, `Input Duration Error: ${duration} ms. Expected between 50 and 1000 ms`)
  }

  protected control(control: AssemblyAIControl): void {
    switch (control.type) {
      case 'Terminate':
        return this.end({
          type: 'Termination',
          audio_duration_seconds: this.audio / 1_000,
          session_duration_seconds: (this.connection.clock.now() - this.#begun) / 1_000,
        })
      case 'ForceEndpoint':
        return this.hearing.force()
      case 'KeepAlive':
      case 'UpdateConfiguration':
        return undefined
      default:
        return this.invalid('an unknown message')
    }
  }

  protected invalid(what: string): void {
    this.#fail(3006, `Invalid Message: ${what}`)
  }

  started({ start }: HeardTurn): void {
    if (this.#isThird) this.sendTurn({ type: 'SpeechStarted', timestamp: start })
  }

  updated(turn: HeardTurn): void {
    this.#turn(turn, { transcript: this.#written(turn) })
  }

  /** Models of the second generation mark a pause with `utterance`. */
  maybeEnded(turn: HeardTurn): void {
    if (!this.#isThird) this.#turn(turn, { transcript: plain(turn.text), utterance: plain(turn.text) })
  }

  resumed(): void {}

  /** With `format_turns`, models of the second generation say every end of a turn twice. */
  ended(turn: HeardTurn): void {
    const twice = !this.#isThird && this.query.get('format_turns') === 'true'
    this.#turn(turn, { end_of_turn: true, turn_is_formatted: this.#isThird, transcript: this.#written(turn) })
    if (twice) this.#turn(turn, { end_of_turn: true, turn_is_formatted: true })
  }

  #written({ text }: HeardTurn): string {
    return this.#isThird ? text : plain(text)
  }

  #turn({ index, text, words }: HeardTurn, more: Partial<AssemblyAITurn>): void {
    const message: AssemblyAITurn = {
      type: 'Turn',
      turn_order: index,
      turn_is_formatted: false,
      end_of_turn: false,
      transcript: text,
      end_of_turn_confidence: more.end_of_turn ? 0.9 : 0.1,
      words: words.map((word) => ({ ...word, confidence: 0.9, word_is_final: true })),
      ...(this.query.get('language_detection') === 'true' ? { language_code: 'en' } : {}),
      ...more,
    }
    this.sendTurn(message, message.end_of_turn)
  }

  #fail(error_code: number, error: string): void {
    this.fail({ type: 'Error', error_code, error } satisfies AssemblyAIEvent, error_code, error)
  }

  #send(event: AssemblyAIEvent): void {
    this.send(event)
  }
}

/** Without capitals and punctuation. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}' ]/gu, '')
