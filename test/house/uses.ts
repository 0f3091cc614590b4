import { importsOf, type Import } from './imports.ts'
import {
  globalObjects,
  globals,
  keepsItsName,
  members,
  modules,
  powerOfExport,
  type Power,
} from './powers.ts'
import { parse, textOf, walk, type Node, type Step } from './syntax.ts'
import type { Source } from './tree.ts'

export interface Use {
  readonly power: Power
  readonly what: string
  readonly line: number
}

/** Every use of a power in a source, in all its spellings, in the order of lines. */
export function usesOf(source: Source): Use[] {
  const syntax = parse(source)
  const found = importsOf(source, syntax).flatMap(usesOfImport)
  walk(syntax.program, (step) => {
    if (isType(step.node) || isImport(step.node)) return false
    for (const use of usesAt(step)) found.push({ ...use, line: syntax.lineOf(step.node) })
    return true
  })
  return found.toSorted((one, other) => one.line - other.line)
}

function usesOfImport({ from, typeOnly, names, line }: Import): Use[] {
  if (from === undefined || typeOnly || from.startsWith('.')) return []
  const module = from.replace(/^node:/, '')
  const power = modules.get(module)
  if (power !== undefined) return [{ power, what: `import of ${from}`, line }]
  return names.flatMap((name) => {
    const named = powerOfExport(module, name)
    return named === undefined ? [] : [{ power: named, what: `import of ${name} from ${from}`, line }]
  })
}

type Found = Omit<Use, 'line'>

function usesAt({ node, parent, key }: Step): Found[] {
  if (node.type === 'Identifier') return usesOfName(node.name, parent, key)
  if (node.type === 'MemberExpression') return usesOfMember(globalOf(node.object), memberName(node))
  if (node.type === 'VariableDeclarator') return usesOfBinding(node.id, globalOf(node.init))
  if (node.type === 'AssignmentExpression') return usesOfBinding(node.left, globalOf(node.right))
  if (node.type === 'AssignmentPattern') return usesOfBinding(node.left, globalOf(node.right))
  // `new Date()` without arguments, and `Date()` called as a function, read the clock.
  if (node.type === 'NewExpression' && node.arguments.length === 0) return usesOfDate(node.callee)
  if (node.type === 'CallExpression') return usesOfDate(node.callee)
  return []
}

function usesOfName(name: string, parent: Node | undefined, key: string): Found[] {
  if (isOnlyAKey(parent, key)) return []
  // A function that is given the global object, such as `Reflect.get(globalThis, name)`, can read any power from it.
  if (name === 'globalThis' && key === 'arguments') return [{ power: 'disguise', what: name }]
  const power = globals.get(name)
  return power === undefined ? [] : [{ power, what: name }]
}

/** Whether an identifier names a member instead of a variable: `clock.setTimeout`, `{ setTimeout: … }`. */
function isOnlyAKey(parent: Node | undefined, key: string): boolean {
  if (parent === undefined || !('computed' in parent) || parent.computed) return false
  return key === 'key' || key === 'property'
}

function usesOfMember(object: string | undefined, name: string | undefined): Found[] {
  const table = object === undefined ? undefined : members.get(object)
  if (table === undefined) return []
  if (name === undefined) return [{ power: 'disguise', what: `${object}[…]` }]
  const power = table.get(name)
  return power === undefined ? [] : [{ power, what: `${object}.${name}` }]
}

/** Uses in `const pattern = object`, where members of the object are powers. */
function usesOfBinding(pattern: Node, object: string | undefined): Found[] {
  if (object === undefined) return []
  if (pattern.type === 'AssignmentPattern') return usesOfBinding(pattern.left, object)
  if (pattern.type !== 'ObjectPattern')
    return keepsItsName(object) ? [{ power: 'disguise', what: `an alias of ${object}` }] : []
  return pattern.properties.flatMap((property) => {
    if (property.type === 'RestElement') return usesOfBinding(property.argument, object)
    const name = keyName(property.key, property.computed)
    const inner = globalObjects.includes(object) ? name : undefined
    return [...usesOfMember(object, name), ...usesOfBinding(property.value, inner)]
  })
}

const usesOfDate = (callee: Node): Found[] =>
  globalOf(callee) === 'Date' ? [{ power: 'now', what: 'Date' }] : []

/** The global that an expression refers to: `Date` for `Date`, `globalThis.Date` and `(globalThis as X)['Date']`. */
function globalOf(node: Node | null): string | undefined {
  if (node === null) return undefined
  if (node.type === 'Identifier') return node.name
  if ('expression' in node && typeof node.expression === 'object') return globalOf(node.expression)
  if (node.type !== 'MemberExpression') return undefined
  const object = globalOf(node.object)
  return object !== undefined && globalObjects.includes(object) ? memberName(node) : undefined
}

const memberName = (node: Node & { type: 'MemberExpression' }): string | undefined =>
  keyName(node.property, node.computed)

function keyName(key: Node, computed: boolean): string | undefined {
  return key.type === 'Identifier' && !computed ? key.name : textOf(key)
}

const isImport = (node: Node): boolean =>
  node.type === 'ImportDeclaration' || (node.type === 'ExportNamedDeclaration' && node.source !== null)

/** Whether a node does not exist at run time. TypeScript nodes that do, wrap an expression: `a as B`, `a!`. */
function isType(node: Node): boolean {
  if (node.type === 'TSClassImplements') return true
  return node.type.startsWith('TS') && !('expression' in node)
}
