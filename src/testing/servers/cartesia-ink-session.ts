import type { InkControl, InkEvent } from './cartesia-ink-events.ts'
import type { ServerConnection } from './server-connection.ts'
import type { HeardTurn } from './turn-hearing.ts'
import { TurnSession, type TurnSessionOptions } from './turn-session.ts'

/** One connection of a `CartesiaInkServer`. */
export class CartesiaInkSession extends TurnSession {
  readonly #request: { readonly request_id: string }

  constructor(connection: ServerConnection, options: TurnSessionOptions) {
    super(connection, options, { eager: 150, end: 400 })
    this.#request = { request_id: `request-${options.number}` }
    this.send({ type: 'connected', ...this.#request } satisfies InkEvent)
  }

  protected control(control: InkControl): void {
    if (control.type === 'close') this.end()
    else if (control.type !== 'config') this.invalid('an unknown message')
  }

  protected invalid(what: string): void {
    const [title, error_code] = ['Invalid message', 'invalid_message']
    this.send({
      type: 'error',
      status_code: 400,
      title,
      message: what,
      error_code,
      ...this.#request,
    } satisfies InkEvent)
  }

  started(): void {
    this.sendTurn({ type: 'turn.start', ...this.#request } satisfies InkEvent)
  }

  updated({ text }: HeardTurn): void {
    this.sendTurn({ type: 'turn.update', transcript: text, ...this.#request } satisfies InkEvent)
  }

  maybeEnded({ text }: HeardTurn): void {
    this.sendTurn({ type: 'turn.eager_end', transcript: text, ...this.#request } satisfies InkEvent)
  }

  resumed(): void {
    this.sendTurn({ type: 'turn.resume', ...this.#request } satisfies InkEvent)
  }

  ended({ text }: HeardTurn): void {
    this.sendTurn({ type: 'turn.end', transcript: text, ...this.#request } satisfies InkEvent, true)
  }
}
