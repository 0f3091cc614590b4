import type { ScribeAudio, ScribeErrorType, ScribeEvent } from './elevenlabs-scribe-events.ts'
import type { ServerConnection } from './server-connection.ts'
import type { HeardTurn, HeardWord } from './turn-hearing.ts'
import { TurnSession, type TurnSessionOptions, type TurnSound } from './turn-session.ts'

/** The shortest audio that can be committed by hand, in milliseconds. */
const SHORTEST = 300
const LOGPROB = Math.log(0.9)

/** One connection of an `ElevenLabsScribeServer`. */
export class ElevenLabsScribeSession extends TurnSession {
  /** Milliseconds of audio when the last turn ended. */
  #committed = 0

  constructor(connection: ServerConnection, options: TurnSessionOptions) {
    super(connection, options, { end: 400 })
    const session_id = `session-${options.number}`
    this.#send({ message_type: 'session_started', session_id, config: Object.fromEntries(this.query) })
  }

  protected override soundOf(query: URLSearchParams): TurnSound {
    const [encoding = '', rate] = (query.get('audio_format') ?? '').split('_')
    return { sampleRate: Number(rate), encoding: encoding === 'ulaw' ? 'mulaw' : encoding }
  }

  override receive(data: string | Uint8Array): void {
    const message = parse(data)
    if (!message) return this.invalid('the message is not audio in JSON')
    if (message.audio_base_64 !== '') this.hearAudio(Buffer.from(message.audio_base_64, 'base64'))
    return message.commit ? this.control({ type: 'commit' }) : undefined
  }

  /** Ends the turn. There is no end message, so that this may be the end, too. */
  protected control(control: { readonly type: 'commit' }): void {
    const { rude } = this.options
    this.controls.push(control)
    if (rude.has('ignores the end') || rude.has('unfinished')) return
    if (this.audio - this.#committed < SHORTEST)
      return this.#fail('commit_throttled', 'there is too little audio to commit')
    if (this.hearing.speaking) this.hearing.force()
    else this.ended({ index: 0, text: '', words: [], start: 0, end: 0 })
    if (rude.has('talks on'))
      this.ended({ index: 99, text: 'and another thing', words: [], start: 0, end: 0 })
    return undefined
  }

  protected invalid(what: string): void {
    this.#fail('input_error', what)
    this.later(() => this.connection.close(1008, what))
  }

  started(): void {}

  updated({ text }: HeardTurn): void {
    this.#sendTurn({ message_type: 'partial_transcript', text })
  }

  maybeEnded(): void {}

  resumed(): void {}

  ended({ text, words }: HeardTurn): void {
    this.#committed = this.audio
    this.#sendTurn({ message_type: 'committed_transcript', text }, true)
    if (this.query.get('include_timestamps') !== 'true') return
    const spaced = words.flatMap(timed).slice(0, -1)
    const message_type = 'committed_transcript_with_timestamps'
    this.#sendTurn({ message_type, text, language_code: 'en', words: spaced }, true)
  }

  /** Reports an error, and leaves the connection open. */
  #fail(message_type: ScribeErrorType, error: string): void {
    this.#send({ message_type, error })
  }

  #send(event: ScribeEvent): void {
    this.send(event)
  }

  #sendTurn(event: ScribeEvent, isEnd = false): void {
    this.sendTurn(event, isEnd)
  }
}

/** A word and the space after it. */
function timed({ text, start, end }: HeardWord) {
  const word = { text, start: start / 1_000, end: end / 1_000, type: 'word' as const, logprob: LOGPROB }
  return [word, { ...word, text: ' ', start: word.end, type: 'spacing' as const }]
}

function parse(data: string | Uint8Array): ScribeAudio | undefined {
  try {
    const message = JSON.parse(String(data)) as Partial<ScribeAudio> | null
    const { message_type, audio_base_64, commit } = message ?? {}
    const fits = message_type === 'input_audio_chunk' && typeof audio_base_64 === 'string'
    return fits && typeof commit === 'boolean' ? (message as ScribeAudio) : undefined
  } catch {
    return undefined
  }
}
