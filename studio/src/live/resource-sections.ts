import { sections } from '../shared/words.ts'
import { withoutToolScopes, type ResourceNode } from './resource-tree.ts'

/** What a session owns, by the sections in which it closes. Empty sections are left out. */
export function sectionsOf(
  tree: ResourceNode,
): readonly (readonly [title: string, nodes: readonly ResourceNode[]])[] {
  const { children } = withoutToolScopes(tree)
  const rest = children.find(({ kind, name }) => kind === 'scope' && name === 'rest')
  const isLinks = ({ kind, name }: ResourceNode): boolean => kind === 'scope' && !name.startsWith('toolset ')
  const below = rest?.children ?? []
  const all = [
    [sections.work, sorted(children.filter((child) => child !== rest))],
    [sections.links, below.filter(isLinks).flatMap(ungrouped)],
    [sections.stores, sorted(below.filter((child) => !isLinks(child)))],
  ] as const
  return all.filter(([, nodes]) => nodes.length > 0)
}

/** The contents of a scope that only groups connections. */
const ungrouped = (node: ResourceNode): readonly ResourceNode[] =>
  node.name === 'links' ? sorted(node.children) : [node]

const order: readonly ResourceNode['kind'][] = ['task', 'opening', 'scope', 'resource', 'deferred', 'timer']

export const sorted = (nodes: readonly ResourceNode[]): readonly ResourceNode[] =>
  nodes.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))

/** The tree without its timers. */
export const withoutTimers = (node: ResourceNode): ResourceNode => ({
  ...node,
  children: node.children.filter(({ kind }) => kind !== 'timer').map(withoutTimers),
})

/** The timers in a tree that have not ended. */
export const timersIn = (node: ResourceNode): readonly ResourceNode[] => [
  ...node.children.filter(({ kind, endedAt }) => kind === 'timer' && endedAt === undefined),
  ...node.children.flatMap(timersIn),
]
