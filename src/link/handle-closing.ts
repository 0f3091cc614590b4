import type { ConnectionReport } from './connection-report.ts'
import type { LinkEnd } from './link-end.ts'
import type { ClosingCommand, LinkEvent } from './link-events.ts'
import type { Closing, LinkStep } from './link-state.ts'

/**
 * What is left to do once closing is intended. Nothing here can dial: a closing step has no such command, and there is no way
 * back to the other kind (LK1).
 */
type ClosingStep = LinkStep<ClosingCommand>

/** Closing is intended. Whatever was not in use is cut; what was says goodbye as its protocol wants. */
export function intend(step: ClosingStep): void {
  const { state, settings, emit } = step
  const { serving, coming, leaving } = state
  const last = serving ?? (leaving?.thenDial ? leaving : undefined)
  state.closing = {
    generation: last?.generation ?? 0,
    asked: false,
    awaiting: serving !== undefined && settings.acknowledges,
    acknowledged: false,
    acknowledgeBy: undefined,
    cutAt: serving ? undefined : leaving?.cutAt,
  }
  for (const connection of [coming, leaving])
    if (connection && connection !== last) emit({ type: 'cut', generation: connection.generation })
  emit({ type: 'hold' })
  // Nothing is left to be closed: a connection that was lost was not closed, though.
  if (!last) return over(step, state.bereft ? 'dropped' : 'closed', state.last)
  if (state.closing.awaiting) emit({ type: 'send-ending', generation: last.generation })
}

/** What happens from then on. */
export function close(step: ClosingStep, closing: Closing, event: LinkEvent): void {
  const { state, settings, emit } = step
  switch (event.type) {
    case 'close':
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
      if (event.generation !== closing.generation || event.standing) return
      return over(step, howEnded(closing, event.end), event.end)
    case 'timer':
      if (event.timer === 'acknowledgement') return sendClose(step, closing)
      if (event.timer !== 'close-frame') return
      emit({ type: 'cut', generation: closing.generation })
      return over(step, settings.ignoresClose ? howClosed(closing) : howCut(closing), undefined)
    case 'abort':
      emit({ type: 'cut', generation: closing.generation })
      return over(step, howCut(closing), undefined)
    case 'start':
    case 'opened':
    case 'ready':
    case 'answered':
    case 'roll-over':
    case 'wake':
    case 'overflow':
    case 'broken':
    case 'intent':
      // They come too late (LK9).
      return
  }
}

function sendClose({ state, settings, emit }: ClosingStep, closing: Closing): void {
  closing.awaiting = false
  closing.acknowledgeBy = undefined
  closing.cutAt = state.now + settings.closePatience
  emit({ type: 'close', generation: closing.generation })
}

function over({ state, emit }: ClosingStep, how: ConnectionReport['how'], end: LinkEnd | undefined): void {
  state.over = true
  state.last = end ?? state.last
  emit({ type: 'over', how, end, error: undefined })
}

/** After our close frame any end is the one we asked for; before it, one without a close frame is a drop. */
function howEnded(closing: Closing, { code }: LinkEnd): ConnectionReport['how'] {
  if (closing.cutAt === undefined && (code === undefined || code === 1006)) return 'dropped'
  return howClosed(closing)
}

const howClosed = ({ acknowledged }: Closing): ConnectionReport['how'] =>
  acknowledged ? 'acknowledged' : 'closed'

const howCut = ({ acknowledged }: Closing): ConnectionReport['how'] =>
  acknowledged ? 'acknowledged' : 'aborted'
