import type { ConnectionReport } from './connection-report.ts'
import type { LinkEnd } from './link-end.ts'
import type { ClosingCommand, LinkEvent } from './link-events.ts'
import type { Closing, LinkStep } from './link-state.ts'

/** A closing link cannot dial: its steps have no such command, and a link never stops closing (LK1). */
type ClosingStep = LinkStep<ClosingCommand>

/** Begins to close: cuts every connection except the current one, and sends its ending frames. */
export function beginClosing(step: ClosingStep): void {
  const { state, settings, emit } = step
  const { current, next, retiring } = state
  const last = current ?? (retiring?.thenDial ? retiring : undefined)
  state.closing = {
    generation: last?.generation ?? 0,
    asked: false,
    awaiting: current !== undefined && settings.acknowledges,
    acknowledged: false,
    acknowledgeBy: undefined,
    cutAt: current ? undefined : retiring?.cutAt,
  }
  for (const connection of [next, retiring])
    if (connection && connection !== last) emit({ type: 'cut', generation: connection.generation })
  emit({ type: 'hold' })
  // There is no connection to close. If it was lost, the report must not call it closed.
  if (!last) return finish(step, state.disconnected ? 'dropped' : 'closed', state.last)
  if (state.closing.awaiting) emit({ type: 'send-ending', generation: last.generation })
}

/** Handles an event of a closing link. */
export function handleClosing(step: ClosingStep, closing: Closing, event: LinkEvent): void {
  const { state, settings, emit } = step
  switch (event.type) {
    case 'close':
      // A second request must not move the deadline.
      if (closing.asked) return
      closing.asked = true
      if (closing.cutAt !== undefined) return
      if (!closing.awaiting) return sendClose(step, closing)
      closing.acknowledgeBy = state.now + settings.acknowledgeWithin
      return
    case 'acknowledged':
      if (event.generation !== closing.generation || !closing.awaiting) return
      closing.acknowledged = true
      return sendClose(step, closing)
    case 'ended':
      if (event.generation !== closing.generation || event.socketOpen) return
      return finish(step, howEnded(closing, event.end), event.end)
    case 'timer':
      if (event.timer === 'acknowledgement') return sendClose(step, closing)
      if (event.timer !== 'close-frame') return
      emit({ type: 'cut', generation: closing.generation })
      return finish(step, settings.ignoresClose ? howClosed(closing) : howCut(closing), undefined)
    case 'abort':
      emit({ type: 'cut', generation: closing.generation })
      return finish(step, howCut(closing), undefined)
    case 'start':
    case 'opened':
    case 'ready':
    case 'answered':
    case 'roll-over':
    case 'wake':
    case 'overflow':
    case 'invalid':
    case 'broken':
    case 'intent':
      // Too late (LK9).
      return
  }
}

function sendClose({ state, settings, emit }: ClosingStep, closing: Closing): void {
  closing.awaiting = false
  closing.acknowledgeBy = undefined
  closing.cutAt = state.now + settings.closePatience
  emit({ type: 'close', generation: closing.generation })
}

function finish({ state, emit }: ClosingStep, how: ConnectionReport['how'], end: LinkEnd | undefined): void {
  state.closed = true
  state.last = end ?? state.last
  emit({ type: 'closed', how, end, error: undefined })
}

/** After our close frame, every end counts as requested. Before it, an end without a close frame is a drop. */
function howEnded(closing: Closing, { code }: LinkEnd): ConnectionReport['how'] {
  if (closing.cutAt === undefined && (code === undefined || code === 1006)) return 'dropped'
  return howClosed(closing)
}

const howClosed = ({ acknowledged }: Closing): ConnectionReport['how'] =>
  acknowledged ? 'acknowledged' : 'closed'

const howCut = ({ acknowledged }: Closing): ConnectionReport['how'] =>
  acknowledged ? 'acknowledged' : 'aborted'
