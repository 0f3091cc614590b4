import {
  isWrong,
  type CloseTimes,
  type LiveMessage,
  type LiveSnapshot,
} from '../../../src/host/wire/index.ts'
import type { Change, OwnedView, ScopeView } from '../../../src/scope/index.ts'

/** A scope, or something that a scope owns. */
export interface ResourceNode {
  readonly id: number
  readonly kind: 'scope' | OwnedView['kind']
  readonly name: string
  /** Of a scope, and of anything whose end has begun. */
  readonly state?: ScopeView['state']
  /** When its end began. Tasks are cancelled when the close is requested, and have none. */
  readonly closingAt?: number
  /** By the session's clock, as all times here. */
  readonly createdAt: number
  readonly status?: LinkStatus
  /** How it ended. A node that ended well is removed after `LINGER`; others stay. */
  readonly outcome?: string
  readonly endedAt?: number
  readonly children: readonly ResourceNode[]
}

/** The status of a link. Other resources may report anything. */
export interface LinkStatus {
  readonly phase?: string
  readonly retries?: number
  readonly last?: { readonly class?: string; readonly code?: number; readonly reason?: string }
}

/** How long an ended node stays visible, so that its end can be seen. */
export const LINGER = 700

/** The tree after a message of the session's stream. */
export function applyToTree(tree: ResourceNode | undefined, message: LiveMessage): ResourceNode | undefined {
  if (message.type === 'snapshot') return message.tree && nodeOf(message.tree, message.now)
  if (message.type === 'closed' || !tree) return tree
  let next = tree
  for (const change of message.changes) next = applyChange(next, change)
  for (const { id, status } of message.statuses) next = update(next, id, (node) => ({ ...node, status }))
  return next
}

/** The times of a close that had begun before the page was opened. */
export function closeTimesOf({ now, tree }: LiveSnapshot): CloseTimes | undefined {
  const { closing } = tree ?? {}
  return closing && { askedAt: now - closing.age, deadline: now + closing.left }
}

/** Removes the nodes that ended well more than `LINGER` ago. */
export function prune(node: ResourceNode, now: number): ResourceNode {
  const isDone = ({ endedAt, outcome }: ResourceNode): boolean =>
    endedAt !== undefined && !isWrong(outcome) && now - endedAt >= LINGER
  if (!some(node, isDone)) return node
  return {
    ...node,
    children: node.children.filter((child) => !isDone(child)).map((child) => prune(child, now)),
  }
}

/** A tool runs in a scope of its own, `tool book`, as the task `book`: one node is enough for both. */
export function withoutToolScopes(node: ResourceNode): ResourceNode {
  const task = node.children.find(({ kind, name }) => kind === 'task' && node.name === `tool ${name}`)
  const children = node.children.filter((child) => child !== task).map(withoutToolScopes)
  return task && node.kind === 'scope'
    ? { ...task, name: node.name, children: [...children, ...task.children] }
    : { ...node, children }
}

/** How many nodes below this one have not ended, not counting scopes. */
export function countLive({ children }: ResourceNode): number {
  return children.reduce((sum, child) => {
    const self = child.kind !== 'scope' && child.endedAt === undefined ? 1 : 0
    return sum + self + countLive(child)
  }, 0)
}

/** The nodes that did not end well, without scopes: a scope ends badly only because of what it owns. */
export function wrongNodes(node: ResourceNode): ResourceNode[] {
  const own = node.kind !== 'scope' && isWrong(node.outcome) ? [node] : []
  return [...own, ...node.children.flatMap(wrongNodes)]
}

function nodeOf(view: ScopeView, now: number): ResourceNode {
  const { id, name, state, age } = view
  const owned = view.owned.map((each): ResourceNode => ({
    id: each.id,
    kind: each.kind,
    name: each.name,
    createdAt: now - each.age,
    ...(each.status ? { status: each.status } : {}),
    children: [],
  }))
  const below = view.children.map((child) => nodeOf(child, now))
  const children = [...owned, ...below].toSorted((one, other) => one.id - other.id)
  return { id, kind: 'scope', name, state, createdAt: now - age, children }
}

function applyChange(root: ResourceNode, { type, id, scope, kind, name, at, outcome }: Change): ResourceNode {
  if (type === 'closing') return update(root, id, (node) => ({ ...node, state: type, closingAt: at }))
  if (type === 'closed') return update(root, id, (node) => ({ ...node, state: type }))
  if (type === 'ended')
    return update(root, id, (node) => ({ ...node, outcome: outcome ?? 'ended', endedAt: at }))
  const state = kind === 'scope' ? { state: 'live' as const } : {}
  const node: ResourceNode = { id, kind, name, ...state, createdAt: at, children: [] }
  return update(root, scope, (parent) =>
    parent.children.some((child) => child.id === id)
      ? parent
      : { ...parent, children: [...parent.children, node] },
  )
}

function update(node: ResourceNode, id: number, change: (node: ResourceNode) => ResourceNode): ResourceNode {
  if (node.id === id) return change(node)
  let same = true
  const children = node.children.map((child) => {
    const next = update(child, id, change)
    same &&= next === child
    return next
  })
  return same ? node : { ...node, children }
}

function some(node: ResourceNode, test: (node: ResourceNode) => boolean): boolean {
  return test(node) || node.children.some((child) => some(child, test))
}
