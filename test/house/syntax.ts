import { parseSync, type ESTree } from 'vite'

import type { Source } from './tree.ts'

// Vite's parser, because TypeScript 7 has no JavaScript API.

export type Node = ESTree.Node

export interface Syntax {
  readonly program: ESTree.Program
  readonly comments: readonly { readonly value: string; readonly start: number }[]
  /** The line of a node or a comment. */
  readonly lineOf: (place: { readonly start: number }) => number
}

/** Parses a source. Throws if it has syntax errors. */
export function parse({ path, text }: Source): Syntax {
  const { program, comments, errors } = parseSync(path, text)
  const [error] = errors
  if (error !== undefined) throw new SyntaxError(`${path} cannot be parsed: ${error.message}`)
  return { program, comments, lineOf: ({ start }) => text.slice(0, start).split('\n').length }
}

export interface Step {
  readonly node: Node
  readonly parent: Node | undefined
  /** The parent's property that holds the node. */
  readonly key: string
}

/** Visits a node and its descendants, outermost first. If `visit` returns false, the descendants are skipped. */
export function walk(start: Node, visit: (step: Step) => boolean | void): void {
  const descend = (step: Step): void => {
    if (visit(step) === false) return
    const { node } = step
    // Not Object.entries, which takes most of the time in a tree of two million nodes.
    for (const key in node) {
      const value: unknown = node[key as keyof Node]
      if (Array.isArray(value)) {
        for (const child of value) if (isNode(child)) descend({ node: child, parent: node, key })
      } else if (isNode(value)) descend({ node: value, parent: node, key })
    }
  }
  descend({ node: start, parent: undefined, key: '' })
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** The text of a string literal, or of a template without expressions. */
export function textOf(node: Node | null | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return firstText(node)
  return undefined
}

/** The text of a template up to its first expression. */
export const firstText = (node: ESTree.TemplateLiteral): string | undefined =>
  node.quasis[0]?.value.cooked ?? undefined
