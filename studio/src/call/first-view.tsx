import { WaterfallTable } from '../ended/waterfall-table.tsx'
import { sessions } from '../host/store.ts'
import { SessionsTable } from '../sessions/sessions-table.tsx'
import { Panel } from '../shared/panel.tsx'
import { exampleWaterfall } from './example.ts'
import './first-view.css'

/** How many of the latest calls are shown. */
const LATEST = 5

/** What there is to see before a call: the latest calls or, if there are none, what the page will show after one. */
export function FirstView() {
  const latest = sessions.value?.slice(0, LATEST) ?? []
  if (sessions.value === undefined) return null
  if (latest.length > 0)
    return (
      <Panel
        name="latest"
        title="Latest calls"
        aside={
          <a class="button quiet" href="#/sessions">
            All calls
          </a>
        }
      >
        <SessionsTable sessions={latest} />
      </Panel>
    )
  return (
    <Panel name="example" title="How a call ends: an example">
      <p class="about">
        The caller hung up while the tool <code>book</code> was running, and the tool did not stop when it was
        asked. Everything else closed, the call ended before its deadline, and its report names the tool. Make
        a call and hang up to see your own.
      </p>
      <WaterfallTable waterfall={exampleWaterfall} />
    </Panel>
  )
}
