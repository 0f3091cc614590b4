import { useMemo } from 'preact/hooks'
import { isWrong } from '../../../src/host/wire/index.ts'
import { Count } from '../shared/count.tsx'
import { Panel } from '../shared/panel.tsx'
import { ageText, retriesText } from '../shared/texts.ts'
import { nameText, outcomeText } from '../shared/words.ts'
import { useTick } from '../shared/use-tick.ts'
import type { LiveSession } from './live-session.ts'
import { sectionsOf, timersIn, withoutTimers } from './resource-sections.ts'
import { countLive, wrongNodes, type LinkStatus, type ResourceNode } from './resource-tree.ts'
import './resources-panel.css'

/** What a call owns right now. It empties as the call closes; whatever does not end well stays, in red. */
export function ResourcesPanel({ session }: { readonly session: LiveSession }) {
  const tree = session.tree.value
  const prune = useMemo(() => () => session.prune(), [session])
  useTick(500, tree !== undefined, prune)
  const closed = tree?.state === 'closed' || session.report.value !== undefined
  const wrong = tree ? wrongNodes(tree) : []
  return (
    <Panel
      name="resources"
      title="Live resources"
      aside={tree && !closed && <Count>{countLive(tree)}</Count>}
    >
      {!tree && !closed && (
        <p class="empty">The tasks, connections and timers of a call appear here until they end.</p>
      )}
      {closed && wrong.length === 0 && <p class="empty good">Nothing left open.</p>}
      {closed && wrong.length > 0 && (
        <p class="empty bad">
          {wrong.length === 1 ? '1 resource' : `${wrong.length} resources`} did not end cleanly.
        </p>
      )}
      {tree && !(closed && wrong.length === 0) && <Tree tree={tree} now={session.now} />}
    </Panel>
  )
}

function Tree({ tree, now }: { readonly tree: ResourceNode; readonly now: number }) {
  const timers = timersIn(tree)
  return (
    <div class="tree" role="group" aria-label="Resources owned by the call" tabIndex={0}>
      {sectionsOf(withoutTimers(tree)).map(([title, nodes]) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul>
            {nodes.map((node) => (
              <Branch key={node.id} node={node} now={now} />
            ))}
          </ul>
        </section>
      ))}
      {timers.length > 0 && (
        <details>
          <summary>
            Timers <Count>{timers.length}</Count>
          </summary>
          <ul>
            {timers.map((timer) => (
              <Branch key={timer.id} node={timer} now={now} />
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Branch({ node, now }: { readonly node: ResourceNode; readonly now: number }) {
  const { kind, name, state, outcome, endedAt, createdAt, status, children } = node
  const look = isWrong(outcome) ? 'wrong' : endedAt === undefined ? (state ?? 'live') : 'gone'
  return (
    <li class={`node ${kind} ${look}`}>
      <div class="row">
        <span class="mark" aria-hidden="true" />
        <span class="name">{nameText(name)}</span>
        {kind === 'opening' && <span class="kind">opening</span>}
        <span class="age">
          {outcome
            ? outcomeText(outcome)
            : state === undefined || state === 'live'
              ? ageText(now - createdAt)
              : state}
        </span>
      </div>
      {status && endedAt === undefined && <Status status={status} />}
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Branch key={child.id} node={child} now={now} />
          ))}
        </ul>
      )}
    </li>
  )
}

const phases: Readonly<Record<string, string>> = { 'backing-off': 'waits before it retries' }

/** The phase of a link, its retries, and how its last connection ended. */
function Status({ status: { phase, retries = 0, last } }: { readonly status: LinkStatus }) {
  if (phase === undefined) return null
  const tone = phase === 'ready' || phase === 'open' ? 'good' : phase === 'backing-off' ? 'bad' : 'warn'
  return (
    <div class="status">
      <span class={tone}>{phases[phase] ?? phase}</span>
      {retries > 0 && <span>{retriesText(retries)}</span>}
      {last && <span>last: {[last.class, last.code, last.reason].filter(Boolean).join(' ')}</span>}
    </div>
  )
}
