import { useMemo } from 'preact/hooks'
import { isWrong } from '../../src/host/wire/index.ts'
import { aliveIn, leftBehind, type AliveNode, type LinkStatus } from './alive.ts'
import type { LiveSession } from './live-session.ts'
import { ageText } from './texts.ts'
import { useTick } from './use-tick.ts'

/** What a session owns, now. When it closes, this empties before one's eyes; what stays is red. */
export function AlivePanel({ session }: { readonly session: LiveSession | undefined }) {
  const tree = session?.tree.value
  const work = useMemo(() => () => session?.prune(), [session])
  useTick(500, tree !== undefined, work)
  const left = tree ? leftBehind(tree) : []
  const over = tree?.state === 'closed' || session?.report.value !== undefined
  return (
    <section class="panel alive" aria-labelledby="alive-title">
      <header>
        <h2 id="alive-title">What is alive</h2>
        {tree && !over && <span class="count">{aliveIn(tree)}</span>}
      </header>
      {!tree && !over && (
        <p class="empty">
          Everything that a call opens stands here while it lives: tasks, connections, timers. When the call
          ends, this empties.
        </p>
      )}
      {over && left.length === 0 && <p class="empty good">Nothing is left.</p>}
      {over && left.length > 0 && (
        <p class="empty bad">
          {left.length === 1 ? 'One thing' : `${left.length} things`} did not end as asked.
        </p>
      )}
      {session && tree && !(over && left.length === 0) && (
        <ul class="tree" aria-label="Everything the session owns" tabIndex={0}>
          <Branch node={tree} now={session.now} />
        </ul>
      )}
    </section>
  )
}

const kinds: Readonly<Record<AliveNode['kind'], string>> = {
  scope: 'scope',
  task: 'task',
  opening: 'opening',
  resource: 'resource',
  deferred: 'at the end',
  timer: 'timer',
}

function Branch({ node, now }: { readonly node: AliveNode; readonly now: number }) {
  const { kind, name, state, outcome, endedAt, bornAt, status, children } = node
  const wrong = isWrong(outcome)
  const how = wrong ? 'wrong' : endedAt === undefined ? (state ?? 'live') : 'gone'
  return (
    <li class={`node ${kind} ${how}`}>
      <div class="row">
        <span class="mark" aria-hidden="true" />
        <span class="name">{name}</span>
        <span class="kind">{kinds[kind]}</span>
        <span class="age">
          {outcome ?? (state === undefined || state === 'live' ? ageText(now - bornAt) : state)}
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

/** A link says what it does, how often it was opened anew, and how its last connection ended. */
function Status({ status: { phase, retries = 0, last } }: { readonly status: LinkStatus }) {
  if (phase === undefined) return null
  const tone = phase === 'ready' || phase === 'open' ? 'good' : phase === 'backing-off' ? 'bad' : 'warn'
  return (
    <div class="status">
      <span class={`phase ${tone}`}>{phase}</span>
      {retries > 0 && <span>{retries === 1 ? '1 retry' : `${retries} retries`}</span>}
      {last && (
        <span>
          last: {last.class}
          {last.code === undefined ? '' : ` ${last.code}`}
          {last.reason ? ` ${last.reason}` : ''}
        </span>
      )}
    </div>
  )
}
