import { inlet, type EventOf, type LineEvents, type PartContext } from '../parts/index.ts'
import { noop, shelter } from '../scope/index.ts'
import type { CloseAsk } from './closing/asks.ts'
import type { Closing, Stations } from './closing/closing.ts'
import type { SessionContext } from './context.ts'
import { EarlyInput } from './early-input.ts'
import { lineShape } from './line-shape.ts'

type LineEvent = EventOf<Required<LineEvents>>

/**
 * Opens the line, and has everything it reports reach the station it concerns. Returns what the caller types and presses
 * before the session is live.
 */
export async function openLine(
  context: SessionContext,
  closing: Closing,
  stations: Stations,
  part: PartContext,
): Promise<EarlyInput> {
  const { line } = context.settings
  const failed = (error: unknown): void => context.failed('line', error)
  const early = new EarlyInput()
  const events = inlet('line', lineShape, new LineInput(context, closing, stations, early), failed)
  const methods = ['play', 'mark', 'clear'] as const
  line.attach?.(context.session)
  const opened = await context.opened('line', line.open(context.counting(part, line), events), methods)
  context.line = opened
  stations.speaking.connect(shelter(opened, methods, failed))
  return early
}

/** Passes the events of the line on. A class, because it runs for every frame, and closures are slower to reach. */
class LineInput {
  readonly #context: SessionContext
  readonly #closing: Closing
  readonly #hearing: Stations['hearing']
  readonly #speaking: Stations['speaking']
  readonly #early: EarlyInput

  constructor(context: SessionContext, closing: Closing, { hearing, speaking }: Stations, early: EarlyInput) {
    this.#context = context
    this.#closing = closing
    this.#hearing = hearing
    this.#speaking = speaking
    this.#early = early
  }

  push(event: LineEvent): void {
    const context = this.#context
    switch (event[0]) {
      case 'frame':
        context.recorder?.caller(event[1])
        return this.#hearing.hear(event[1])
      case 'marked':
        return this.#speaking.marked(event[1], event[2], event[3])
      case 'dtmf':
        return this.#early.take(() => this.#hearing.pressed(event[1]))
      case 'text':
        return this.#early.take(() => this.#hearing.typed(event[1]))
      case 'away':
      case 'back':
        return context.events.emit('line', { connected: event[0] === 'back' })
      case 'hungUp':
        return this.#end({ reason: 'caller-hung-up', by: 'line' })
      case 'lost':
        if (event[1] !== undefined) context.failed('line', event[1])
        return this.#end({ reason: 'caller-lost', by: 'line' })
      case 'handedOver':
        return this.#end({ reason: 'transferred', by: 'line' })
    }
  }

  #end(ask: CloseAsk): void {
    this.#closing.close(ask).catch(noop)
  }
}
