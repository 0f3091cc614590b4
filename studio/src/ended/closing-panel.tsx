import type { LiveSession } from '../live/live-session.ts'
import { Panel } from '../shared/panel.tsx'
import { timeText } from '../shared/texts.ts'
import { useTick } from '../shared/use-tick.ts'
import { closingWaterfallOf } from './closing-waterfall.ts'
import { Figures } from './figures.tsx'
import { VerdictLines } from './verdict-lines.tsx'
import { WaterfallTable } from './waterfall-table.tsx'

/** Milliseconds between two pictures of a close. */
const FRAME = 50

/**
 * A call that closes: what has ended, what has not, and how long it may still take. Empty at other times. Everything is
 * where the report will be, so that nothing moves when the report comes.
 */
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
  const { latencies, spent } = session.conversation.value
  return (
    <Panel name="ended" modifier="closing" title="The call is closing">
      <VerdictLines
        stamp="closing"
        look="closing"
        sentence={`${ended} of ${total} ended`}
        reason={
          left > 0
            ? `Whatever is left will be cut off in ${timeText(left)} at the latest.`
            : 'The time is up: whatever is left is being cut off.'
        }
        faults={session.summary.value?.faults}
      />
      <Figures
        lived={times.askedAt - tree.createdAt}
        took={now - times.askedAt}
        closeTimeout={times.deadline - times.askedAt}
        turns={spent?.usage.turns ?? 0}
        latencies={latencies}
        cost={spent?.cost}
      />
      <WaterfallTable waterfall={waterfall} />
    </Panel>
  )
}
