import { isWrong } from '../../src/host/outcome.ts'
import type { LiveMessage } from '../../src/host/wire.ts'
import type { Change, OwnedView, ScopeView } from '../../src/scope/index.ts'

/** Something that is alive, has just ended, or should have ended and has not. */
export interface AliveNode {
  readonly id: number
  readonly kind: 'scope' | OwnedView['kind']
  readonly name: string
  /** Of a scope. */
  readonly state?: ScopeView['state']
  /** The session's clock. */
  readonly bornAt: number
  readonly status?: LinkStatus
  /** How it ended. What ended well is taken out a moment later; what did not stays. */
  readonly outcome?: string
  readonly endedAt?: number
  readonly children: readonly AliveNode[]
}

/** What a link says of itself; other resources may say anything. */
export interface LinkStatus {
  readonly phase?: string
  readonly retries?: number
  readonly failures?: number
  readonly last?: { readonly class?: string; readonly code?: number; readonly reason?: string }
}

/** For so long what has ended is still shown, so that one sees it go. */
export const farewell = 700

/** The tree after a message of the session's stream. */
export function watch(before: AliveNode | undefined, message: LiveMessage): AliveNode | undefined {
  if (message.type === 'snapshot') return message.tree && nodeOf(message.tree, message.now)
  if (message.type === 'closed' || !before) return before
  let now = before
  for (const change of message.changes) now = changed(now, change)
  for (const { id, status } of message.statuses) now = update(now, id, (node) => ({ ...node, status }))
  return now
}

/** Without those that ended well and have been shown long enough. */
export function prune(node: AliveNode, now: number): AliveNode {
  const gone = ({ endedAt, outcome }: AliveNode): boolean =>
    endedAt !== undefined && !isWrong(outcome) && now - endedAt >= farewell
  if (!some(node, gone)) return node
  return {
    ...node,
    children: node.children.filter((child) => !gone(child)).map((child) => prune(child, now)),
  }
}

/** How many are alive below it, scopes not counted. */
export function aliveIn({ children }: AliveNode): number {
  return children.reduce((sum, child) => {
    const self = child.kind !== 'scope' && child.endedAt === undefined ? 1 : 0
    return sum + self + aliveIn(child)
  }, 0)
}

/** Those that did not end as they should. A scope is wrong only because of what is in it. */
export function leftBehind(node: AliveNode): AliveNode[] {
  const own = node.kind !== 'scope' && isWrong(node.outcome) ? [node] : []
  return [...own, ...node.children.flatMap(leftBehind)]
}

function nodeOf(view: ScopeView, now: number): AliveNode {
  const { id, name, state, age } = view
  const owned = view.owned.map((each): AliveNode => ({
    id: each.id,
    kind: each.kind,
    name: each.name,
    bornAt: now - each.age,
    ...(each.status ? { status: each.status } : {}),
    children: [],
  }))
  const below = view.children.map((child) => nodeOf(child, now))
  const children = [...owned, ...below].toSorted((one, other) => one.id - other.id)
  return { id, kind: 'scope', name, state, bornAt: now - age, children }
}

function changed(root: AliveNode, { type, id, scope, kind, name, at, outcome }: Change): AliveNode {
  if (type === 'closing' || type === 'closed') return update(root, id, (node) => ({ ...node, state: type }))
  if (type === 'ended')
    return update(root, id, (node) => ({ ...node, outcome: outcome ?? 'ended', endedAt: at }))
  const state = kind === 'scope' ? { state: 'live' as const } : {}
  const node: AliveNode = { id, kind, name, ...state, bornAt: at, children: [] }
  return update(root, scope, (parent) =>
    parent.children.some((child) => child.id === id)
      ? parent
      : { ...parent, children: [...parent.children, node] },
  )
}

function update(node: AliveNode, id: number, become: (node: AliveNode) => AliveNode): AliveNode {
  if (node.id === id) return become(node)
  let same = true
  const children = node.children.map((child) => {
    const now = update(child, id, become)
    same &&= now === child
    return now
  })
  return same ? node : { ...node, children }
}

function some(node: AliveNode, met: (node: AliveNode) => boolean): boolean {
  return met(node) || node.children.some((child) => some(child, met))
}
