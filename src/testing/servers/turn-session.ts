import { asSampleRate, decodeALaw, decodeMuLaw, samplesFromBytes } from '../../audio/index.ts'
import type { ServerConnection } from './server-connection.ts'
import { TurnHearing, type HeardTurn, type TurnHearingEvents } from './turn-hearing.ts'
import type { ServerSession } from './vendor-server.ts'

/**
 * - `deaf`: recognises nothing
 * - `ignores the end`: does not answer the client's end message
 * - `unfinished`: answers it with the text so far, but does not end the turn
 * - `talks on`: sends another turn after the end, and leaves the connection open
 * - `repeats itself`: sends every end of a turn twice
 * - `garbles`: sends turns that are not JSON
 */
export type TurnRudeness =
  | 'deaf'
  | 'ignores the end'
  | 'unfinished'
  | 'talks on'
  | 'repeats itself'
  | 'garbles'

export interface TurnSessionOptions {
  /** The number of the connection, from 1. */
  readonly number: number
  readonly thinks: number
  readonly rude: ReadonlySet<TurnRudeness>
  /** The text that the next speech is recognised as; empty if none is scripted. */
  readonly heard: () => string
}

/** The milliseconds of silence by which a server ends turns. */
export interface TurnPatience {
  readonly eager?: number | undefined
  readonly end: number
}

/** The format of a client's audio. */
export interface TurnSound {
  readonly sampleRate: number
  /** `mulaw` or `alaw` are part of its name; PCM16 otherwise. */
  readonly encoding: string
}

/** One connection of a server that decides itself when the caller has finished. */
export abstract class TurnSession implements ServerSession, TurnHearingEvents {
  readonly connection: ServerConnection
  readonly query: URLSearchParams
  /** The client's messages besides audio, in order. */
  readonly controls: { readonly type: string }[] = []
  protected readonly options: TurnSessionOptions
  protected readonly hearing: TurnHearing
  readonly #encoding: string
  #ended = false

  constructor(connection: ServerConnection, options: TurnSessionOptions, patience: TurnPatience) {
    this.connection = connection
    this.query = new URL(connection.request.url).searchParams
    this.options = options
    const { sampleRate, encoding } = this.soundOf(this.query)
    this.#encoding = encoding
    this.hearing = new TurnHearing({
      sampleRate: asSampleRate(sampleRate),
      ...patience,
      heard: options.heard,
      events: this,
    })
  }

  /** Milliseconds of audio received. */
  get audio(): number {
    return this.hearing.time
  }

  receive(data: string | Uint8Array): void {
    if (this.#ended) return undefined
    if (typeof data !== 'string') return this.hearAudio(data)
    const control = parse(data)
    if (!control) return this.invalid(data)
    this.controls.push(control)
    return this.control(control)
  }

  protected soundOf(query: URLSearchParams): TurnSound {
    return { sampleRate: Number(query.get('sample_rate')), encoding: query.get('encoding') ?? '' }
  }

  protected hearAudio(bytes: Uint8Array): void {
    const encoding = this.#encoding
    if (encoding.includes('mulaw')) this.hearing.hear(decodeMuLaw(bytes))
    else if (encoding.includes('alaw')) this.hearing.hear(decodeALaw(bytes))
    else if (bytes.length % 2 === 1) this.invalid('half a sample')
    else this.hearing.hear(samplesFromBytes(bytes))
  }

  /** Ends the last turn, says goodbye, and closes. */
  protected end(goodbye?: object): void {
    const { rude } = this.options
    if (rude.has('ignores the end')) return
    if (!rude.has('unfinished')) this.hearing.force()
    if (goodbye) this.send(goodbye)
    this.#ended = true
    if (rude.has('talks on'))
      this.ended({ index: 99, text: 'and another thing', words: [], start: 0, end: 0 })
    else this.later(() => this.connection.close(1000, ''))
  }

  /** Reports an error and closes the connection. */
  protected fail(error: object, code: number, reason: string): void {
    this.#ended = true
    this.send(error)
    this.later(() => this.connection.close(code, reason))
  }

  protected send(message: object): void {
    const text = JSON.stringify(message)
    this.later(() => this.connection.send(text))
  }

  /** Sends a message about a turn, unless the server is rude. */
  protected sendTurn(message: object, isEnd = false): void {
    const { rude } = this.options
    if (rude.has('deaf')) return
    if (rude.has('garbles')) return this.later(() => this.connection.send('{"type":"Tu'))
    this.send(message)
    if (isEnd && rude.has('repeats itself')) this.send(message)
    return undefined
  }

  protected later(callback: () => void): void {
    this.connection.after(this.options.thinks, 'turn of a server', callback)
  }

  /** Handles a message besides audio. */
  protected abstract control(control: { readonly type: string }): void
  /** Handles a message that makes no sense. */
  protected abstract invalid(what: string): void

  abstract started(turn: HeardTurn): void
  abstract updated(turn: HeardTurn): void
  abstract maybeEnded(turn: HeardTurn): void
  abstract resumed(turn: HeardTurn): void
  abstract ended(turn: HeardTurn): void
}

function parse(text: string): { readonly type: string } | undefined {
  try {
    const message = JSON.parse(text) as { readonly type?: unknown } | null
    return typeof message?.type === 'string' ? { ...message, type: message.type } : undefined
  } catch {
    return undefined
  }
}
