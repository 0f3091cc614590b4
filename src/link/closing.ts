import type { ConnectionReport } from './connection-report.ts'
import type { LinkEnd } from './link-end.ts'
import type { ClosingCommand, LinkEvent } from './link-events.ts'
import type { Closing, LinkDesk } from './link-state.ts'

/**
 * What is left to do once closing is intended. Nothing here can dial: there is no such command at this desk, and no way
 * back to the other one (LK1).
 */
type ClosingDesk = LinkDesk<ClosingCommand>

/** Closing is intended. Whatever was not in use is cut; what was says goodbye as its protocol wants. */
export function intend(desk: ClosingDesk): void {
  const { state, settings, tell } = desk
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
    if (connection && connection !== last) tell({ type: 'cut', generation: connection.generation })
  tell({ type: 'hold' })
  // Nothing is left to be closed: a connection that was lost was not closed, though.
  if (!last) return over(desk, state.bereft ? 'dropped' : 'closed', state.last)
  if (state.closing.awaiting) tell({ type: 'send-ending', generation: last.generation })
}

/** What happens from then on. */
export function close(desk: ClosingDesk, closing: Closing, event: LinkEvent): void {
  const { state, settings, tell } = desk
  switch (event.type) {
    case 'close':
      closing.asked = true
      if (closing.cutAt !== undefined) return
      if (!closing.awaiting) return sendClose(desk, closing)
      closing.acknowledgeBy = state.now + settings.acknowledgeWithin
      return
    case 'acknowledged':
      if (event.generation !== closing.generation || !closing.awaiting) return
      closing.acknowledged = true
      return sendClose(desk, closing)
    case 'ended':
      if (event.generation !== closing.generation || event.standing) return
      return over(desk, howEnded(closing, event.end), event.end)
    case 'timer':
      if (event.timer === 'acknowledgement') return sendClose(desk, closing)
      if (event.timer !== 'close-frame') return
      tell({ type: 'cut', generation: closing.generation })
      return over(desk, settings.ignoresClose ? howClosed(closing) : howCut(closing), undefined)
    case 'abort':
      tell({ type: 'cut', generation: closing.generation })
      return over(desk, howCut(closing), undefined)
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

function sendClose({ state, settings, tell }: ClosingDesk, closing: Closing): void {
  closing.awaiting = false
  closing.acknowledgeBy = undefined
  closing.cutAt = state.now + settings.closePatience
  tell({ type: 'close', generation: closing.generation })
}

function over({ state, tell }: ClosingDesk, how: ConnectionReport['how'], end: LinkEnd | undefined): void {
  state.over = true
  state.last = end ?? state.last
  tell({ type: 'over', how, end, error: undefined })
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
