import { firstText, parse, walk, type Node } from './syntax.ts'
import type { Source } from './tree.ts'

export interface Title {
  readonly text: string
  /** A skipped test does not count. */
  readonly skipped: boolean
  readonly line: number
}

/** The ids of a specification, from its lines `- **ID** …`. */
export const idsOf = (spec: string): string[] =>
  [...spec.matchAll(/^- \*\*([A-Z]+\d+)\*\*/gm)].map(([, id]) => id ?? '')

/** The ids of a list: one per line, `#` starts a comment. */
export const listed = (list: string): string[] =>
  list
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')

/** The titles of tests and suites, including `it.each(…)('…')` and test functions made by `extend`. */
export function titlesOf(source: Source): Title[] {
  const { program, lineOf } = parse(source)
  const found: Title[] = []
  const collect = (start: Node, outerSkipped: boolean): void =>
    walk(start, ({ node }) => {
      if (node.type !== 'CallExpression') return true
      const words = wordsOf(node.callee)
      if (!/^(it|test|describe)$|(It|Test|Describe)$/.test(words[0] ?? '')) return true
      const skipped = outerSkipped || words.includes('skip') || words.includes('todo')
      const text = titleOf(node.arguments[0])
      if (text !== undefined) found.push({ text, skipped, line: lineOf(node) })
      for (const argument of node.arguments) collect(argument, skipped)
      return false
    })
  collect(program, false)
  return found
}

/** The identifiers of a callee: `it`, `skip`, `each` for `it.skip.each(cases)`. */
function wordsOf(callee: Node): string[] {
  if (callee.type === 'Identifier') return [callee.name]
  if (callee.type === 'CallExpression') return wordsOf(callee.callee)
  if (callee.type === 'TaggedTemplateExpression') return wordsOf(callee.tag)
  if (callee.type !== 'MemberExpression') return []
  return [...wordsOf(callee.object), ...wordsOf(callee.property)]
}

function titleOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  return node?.type === 'TemplateLiteral' ? firstText(node) : undefined
}

/** The disagreements between the specification, the tests and the list of rules that are not built yet, one line each. */
export function disagreements(spec: string, tests: readonly Source[], notBuilt: string): string[] {
  const ids = idsOf(spec)
  const waiting = listed(notBuilt)
  const tested = new Set<string>()
  const wrong: string[] = []
  for (const source of tests) {
    for (const { text, skipped, line } of titlesOf(source)) {
      const at = `${source.path}:${line}`
      const named = idsIn(text)
      if (named.length === 0 && text.startsWith('['))
        wrong.push(`${at} "${text}" starts with a bracket and names no rule`)
      for (const id of named) {
        if (!ids.includes(id)) wrong.push(`${at} names ${id}, which is not in SPEC.md`)
        if (!skipped) tested.add(id)
      }
    }
  }
  for (const id of repeated(ids)) wrong.push(`${id} is in SPEC.md twice`)
  for (const id of repeated(waiting)) wrong.push(`${id} is listed twice as not built`)
  for (const id of new Set(waiting)) {
    if (!ids.includes(id)) wrong.push(`${id} is listed as not built and is not in SPEC.md`)
    if (tested.has(id)) wrong.push(`${id} is listed as not built and has a test`)
  }
  for (const id of new Set(ids)) {
    if (!tested.has(id) && !waiting.includes(id))
      wrong.push(`${id} has no test whose title starts with [${id}]`)
  }
  return wrong
}

function idsIn(title: string): string[] {
  const [head] = /^(\[[A-Z]+\d+\]\s*)*/.exec(title) ?? ['']
  return [...head.matchAll(/[A-Z]+\d+/g)].map(([id]) => id)
}

const repeated = (ids: readonly string[]): string[] => ids.filter((id, index) => ids.indexOf(id) !== index)
