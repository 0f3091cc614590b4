import { describe, expect, it } from 'vitest'

import { Agent } from '../../src/session/answering/agent.ts'
import { sessionSettings } from '../../src/session/settings.ts'
import { tool } from '../../src/session/answering/tool.ts'
import { turnSettings } from '../../src/session/hearing/turn-options.ts'
import { ScriptedLlm, ScriptedTts, TestLine } from '../../src/testing/index.ts'
import { blocksOf, unprovenBlocks } from './markdown.ts'
import { parse, walk, type Node } from './syntax.ts'
import { read, sources, type Source } from './tree.ts'

const source = (path: string): Source => ({ path, text: read(path) })

// ── the code ──

/** The properties of a type in a file. Properties of nested options (`type XOptions`) are named `outer.inner`. */
function membersOf(file: Source, name: string): string[] {
  const types = new Map<string, Node>()
  walk(parse(file).program, ({ node }) => {
    if (node.type === 'TSInterfaceDeclaration') types.set(node.id.name, node.body)
    if (node.type === 'TSTypeAliasDeclaration') types.set(node.id.name, node.typeAnnotation)
  })
  const start = types.get(name)
  if (start === undefined) throw new Error(`${file.path} has no type ${name}`)
  return [...new Set(propertiesOf(start, types))]
}

function propertiesOf(type: Node, types: ReadonlyMap<string, Node>): string[] {
  const found: string[] = []
  walk(type, ({ node }) => {
    if (node.type !== 'TSPropertySignature' && node.type !== 'TSMethodSignature') return undefined
    const key = node.key.type === 'Identifier' ? node.key.name : node.key.type === 'Literal' && node.key.value
    if (typeof key !== 'string') throw new Error('a property has no name')
    const inner = node.type === 'TSPropertySignature' ? innerOf(node, types) : []
    found.push(...(inner.length > 0 ? inner.map((each) => `${key}.${each}`) : [key]))
    return false
  })
  return found
}

/** The properties of the `…Options` types of the same file that a property refers to. */
function innerOf(property: Node, types: ReadonlyMap<string, Node>): string[] {
  const found: string[] = []
  walk(property, ({ node }) => {
    if (node.type !== 'TSTypeReference' || node.typeName.type !== 'Identifier') return
    const { name } = node.typeName
    const type = types.get(name)
    if (type !== undefined && name.endsWith('Options')) found.push(...propertiesOf(type, types))
  })
  return found
}

// ── the page ──

/** The rows, as cells, of the tables below a heading whose first column has the given title. */
function rowsOf(page: string, heading: string, column: string): string[][] {
  const rows: string[][] = []
  let below = ''
  let title: string | undefined
  for (const line of blocksOf(page).rest) {
    below = /^#+\s+(.*)/.exec(line)?.[1] ?? below
    const cells = /^\|(.*)\|$/
      .exec(line)?.[1]
      ?.split('|')
      .map((cell) => cell.trim())
    if (cells === undefined) title = undefined
    else if (title === undefined) title = cells[0]
    else if (below === heading && title === column && !/^-+$/.test(cells[0] ?? '')) rows.push(cells)
  }
  return rows
}

/** The names in the first cell of a row, without the parameters of functions. */
const namesOf = ([first = '']: readonly string[]): string[] =>
  [...first.matchAll(/`([\w.-]+)[^`]*`/g)].map(([, name = '']) => name)

/** The default value that a cell names. Undefined if it names none. */
function defaultIn(cell: string): string | number | boolean | undefined {
  const [, number, unit] = /^([\d.]+)(?: (s|ms))?$/.exec(cell) ?? []
  if (number !== undefined) return Number(number) * (unit === 's' ? 1_000 : 1)
  if (cell === 'yes' || cell === 'no') return cell === 'yes'
  return /^`([^`]+)`$/.exec(cell)?.[1]
}

/** Options of the turn machine that a session sets itself. */
const internal = new Set(['TurnOptions.idle', 'TurnOptions.wordless'])

describe('reading the code', () => {
  const file: Source = {
    path: 'a.ts',
    text: `export interface Options { a?: number; 'b-c': string; deep?: boolean | DeepOptions; how: How; run(): void }
      type DeepOptions = { readonly x: 1 } | { readonly x: 2; y: 3 }
      type How = { z: 1 }`,
  }

  it('finds each property once, and names those of nested options with their path', () => {
    expect(membersOf(file, 'Options')).toEqual(['a', 'b-c', 'deep.x', 'deep.y', 'how', 'run'])
    expect(() => membersOf(file, 'Gone')).toThrow('a.ts has no type Gone')
  })
})

describe('reading the page', () => {
  const page = ['## One', '| option | default |', '|---|---|', '| `a`, `b(c, d)` | 1.5 s |', '', '| other |']
    .concat(['|---|', '| `x` |', '## Two', '| option |', '|---|', '| `y` |'])
    .join('\n')

  it('finds the rows of the given table below the given heading', () => {
    const rows = rowsOf(page, 'One', 'option')
    expect(rows).toEqual([['`a`, `b(c, d)`', '1.5 s']])
    expect(rows.flatMap(namesOf)).toEqual(['a', 'b'])
  })

  it('understands default values', () => {
    expect(['1.5 s', '200 ms', '32', '0', 'yes', 'no', '`#`', 'no limit', ''].map(defaultIn)).toEqual([
      1_500,
      200,
      32,
      0,
      true,
      false,
      '#',
      undefined,
      undefined,
    ])
  })
})

describe('docs/agents.md', () => {
  const page = read('docs/agents.md')

  it.each([
    ['An agent', 'option', 'src/session/answering/agent.ts', 'AgentOptions'],
    ['Tools', 'option', 'src/session/answering/tool.ts', 'ToolOptions'],
    ['Tools', 'context', 'src/session/answering/tool.ts', 'ToolContext'],
    ['Guardrails', 'option', 'src/session/answering/guardrails.ts', 'Guardrails'],
    ['Turn-taking', 'option', 'src/session/hearing/turn-options.ts', 'TurnOptions'],
    ['Session options', 'option', 'src/session/settings.ts', 'SessionOptions'],
    ['Events', 'event', 'src/session/events.ts', 'SessionEvents'],
  ])('%s: the table by %s lists exactly the members that %s gives %s', (heading, column, path, type) => {
    const named = rowsOf(page, heading, column).flatMap(namesOf)
    const members = membersOf(source(path), type).filter((name) => !internal.has(`${type}.${name}`))
    expect(named.toSorted()).toEqual(members.toSorted())
  })

  it('lists every error code of a tool call', () => {
    const thrown = sources(/^src\/session\/(?!.*\.test\.ts$)/).flatMap(({ text }) =>
      [...text.matchAll(/new ToolError\(\s*'(\w+)'/g)].map(([, code = '']) => code),
    )
    const rows = rowsOf(page, 'The result of a call', 'what happened')
    const listed = rows.flatMap(([, , code = '']) => namesOf([code]))
    expect(listed.toSorted()).toEqual([...new Set(thrown)].toSorted())
  })

  it('lists every field of every event', () => {
    const events = read('src/session/events.ts').matchAll(/^  '?([\w-]+)'?: \{ (.*) \}$/gm)
    const rows = new Map(rowsOf(page, 'Events', 'event').map((cells) => [namesOf(cells)[0], cells[2] ?? '']))
    const missing = [...events].flatMap(([, event = '', type = '']) =>
      [...type.matchAll(/readonly (\w+):/g)]
        .filter(([, field]) => !rows.get(event)?.includes(`\`${field}\``))
        .map(([, field]) => `${event}: ${field}`),
    )
    expect(missing).toEqual([])
  })

  /** The default values in the page, and those in the code, by option. */
  const defaults = (heading: string, values: Readonly<Record<string, unknown>>): [object, object] => {
    const written = rowsOf(page, heading, 'option').flatMap((cells) =>
      namesOf(cells).map((name) => [name, defaultIn(cells[1] ?? '')] as const),
    )
    const plain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)
    const given = Object.entries(values).filter(([, value]) => plain(value))
    const known = new Set(given.map(([name]) => name))
    return [
      Object.fromEntries(written.filter(([name, value]) => known.has(name) || typeof value === 'number')),
      Object.fromEntries(given),
    ]
  }

  it('gives the defaults of the options of a tool', () => {
    const { description: _, ...values } = tool({ description: 'Waits', run() {} })
    const [written, actual] = defaults('Tools', values)
    expect(written).toEqual(actual)
    expect(Object.keys(actual)).toContain('timeout')
  })

  it('gives the defaults of the options of turns', () => {
    const fixed = turnSettings({ falseInterruption: {}, preemptive: true, dtmf: {} })
    const dynamic = turnSettings({ endpointing: { mode: 'dynamic' } })
    const inner = (name: string, values: object = {}): Record<string, unknown> =>
      Object.fromEntries(Object.entries(values).map(([key, value]) => [`${name}.${key}`, value]))
    const [written, actual] = defaults('Turn-taking', {
      'endpointing.mode': fixed.dynamic ? 'dynamic' : 'fixed',
      'endpointing.delay': fixed.delay,
      'endpointing.minDelay': dynamic.delay,
      'endpointing.maxDelay': fixed.maxDelay,
      'bargeIn.minDuration': fixed.minDuration,
      'bargeIn.minWords': fixed.minWords,
      ...inner('falseInterruption', fixed.falseInterruption),
      ...inner('preemptive', fixed.preemptive),
      ...inner('dtmf', fixed.dtmf),
    })
    expect(written).toEqual(actual)
    expect(fixed.maxDelay).toBe(dynamic.maxDelay)
  })

  it('gives the defaults of the options of a session', () => {
    const agent = new Agent({ instructions: 'You answer.' })
    const models = { llm: new ScriptedLlm(), tts: new ScriptedTts() }
    const { id: _, ...values } = sessionSettings({ agent, models, line: new TestLine() })
    const [written, actual] = defaults('Session options', values)
    expect(written).toEqual(actual)
    expect(Object.keys(actual)).toContain('closeTimeout')
  })

  it('shows only TypeScript that is in examples', () => {
    expect(unprovenBlocks(source('docs/agents.md'))).toEqual([])
  })
})
