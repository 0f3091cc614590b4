import type { FluxControl, FluxTurnInfo } from './deepgram-flux-events.ts'
import type { ServerConnection } from './server-connection.ts'
import type { HeardTurn } from './turn-hearing.ts'
import { TurnSession, type TurnSessionOptions } from './turn-session.ts'

/** One connection of a `DeepgramFluxServer`. */
export class DeepgramFluxSession extends TurnSession {
  readonly #forceEndTurn: boolean
  readonly #id: string
  #sequence = 0
  /** Whether a `Configure` has not been answered yet; another one is an error. */
  #configuring = false

  constructor(connection: ServerConnection, options: TurnSessionOptions, forceEndTurn: boolean) {
    const { searchParams } = new URL(connection.request.url)
    super(connection, options, { eager: searchParams.has('eager_eot_threshold') ? 150 : undefined, end: 400 })
    this.#forceEndTurn = forceEndTurn
    this.#id = `00000000-0000-4000-8000-${String(options.number).padStart(12, '0')}`
    this.#send({ type: 'Connected' })
  }

  protected control(control: FluxControl): void {
    switch (control.type) {
      case 'CloseStream':
        return this.end()
      case 'ForceEndTurn':
        return this.#forceEndTurn ? this.hearing.force() : this.invalid(control.type)
      case 'Configure':
        return this.#configure(control.keyterms ?? [])
      default:
        return this.invalid('unknown message')
    }
  }

  protected invalid(what: string): void {
    const code = 'UNPARSABLE_CLIENT_MESSAGE'
    const sequence_id = this.#sequence++
    this.fail({ type: 'Error', sequence_id, code, description: `cannot read ${what}` }, 1008, code)
  }

  started(turn: HeardTurn): void {
    this.#turn('StartOfTurn', turn)
  }

  updated(turn: HeardTurn): void {
    this.#turn('Update', turn)
  }

  maybeEnded(turn: HeardTurn): void {
    this.#turn('EagerEndOfTurn', turn)
  }

  resumed(turn: HeardTurn): void {
    this.#turn('TurnResumed', turn)
  }

  ended(turn: HeardTurn): void {
    this.#turn('EndOfTurn', turn)
  }

  #configure(keyterms: string[]): void {
    if (this.#configuring) return this.invalid('a Configure before the last one was answered')
    this.#configuring = true
    const answer = keyterms.includes('')
      ? { type: 'ConfigureFailure' }
      : { type: 'ConfigureSuccess', thresholds: {}, keyterms }
    this.#send(answer)
    this.later(() => (this.#configuring = false))
    return undefined
  }

  #turn(event: FluxTurnInfo['event'], { index, text, words, start, end }: HeardTurn): void {
    const message: Omit<FluxTurnInfo, 'request_id' | 'sequence_id'> = {
      type: 'TurnInfo',
      event,
      turn_index: index,
      audio_window_start: seconds(start),
      audio_window_end: seconds(end),
      transcript: text,
      words: words.map((word) => ({
        word: word.text,
        confidence: 0.9,
        start: seconds(word.start),
        end: seconds(word.end),
      })),
      end_of_turn_confidence: event === 'EndOfTurn' ? 0.9 : 0.1,
      ...(event === 'EndOfTurn' ? { trigger: 'model' } : {}),
      ...(this.query.get('model') === 'flux-general-multi' ? { languages: ['en'] } : {}),
    }
    this.sendTurn({ ...message, request_id: this.#id, sequence_id: this.#sequence++ }, event === 'EndOfTurn')
  }

  #send(message: object): void {
    this.send({ ...message, request_id: this.#id, sequence_id: this.#sequence++ })
  }
}

const seconds = (ms: number): number => Math.round(ms) / 1_000
