import { Panel } from '../shared/panel.tsx'
import { timeText } from '../shared/texts.ts'
import { useTick } from '../shared/use-tick.ts'
import type { LiveSession } from '../live/live-session.ts'
import { closingWaterfallOf } from './closing-waterfall.ts'
import { WaterfallTable } from './waterfall-table.tsx'
import './closing-panel.css'

/** Milliseconds between two pictures of a close. */
const FRAME = 50

/** A session that closes: what has ended, what has not, and how long it may still take. Empty at other times. */
export function ClosingPanel({ session }: { readonly session: LiveSession }) {
  const times = session.closing.value
  const tree = session.closingTree.value
  const closes = times !== undefined && tree !== undefined && !session.report.value
  useTick(FRAME, closes)
  if (!closes) return null
  // The page's clock may be a little ahead of the host's.
  const now = Math.max(times.askedAt, session.now)
  const waterfall = closingWaterfallOf(tree, times, now)
  const { total, ended } = waterfall
  const left = times.deadline - now
  return (
    <Panel name="closing" title="The session is closing">
      <div class="progress">
        <p class="sentence">
          {ended} of {total} ended
        </p>
        <p class="reason">
          {left > 0
            ? `At the latest in ${timeText(left)}, whatever is left will be cut off.`
            : 'The time is up: whatever is left is being cut off.'}
        </p>
      </div>
      <WaterfallTable waterfall={waterfall} />
    </Panel>
  )
}
