import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseSync, type ESTree } from 'vite'

import { importedFiles } from '../house/imports.ts'
import { root } from '../house/tree.ts'

/** Copies of built modules in which every function reports that it was entered. */
export class Trace {
  readonly #folder = mkdtempSync(join(tmpdir(), 'endwell-walk-'))
  readonly #recorder = join(this.#folder, 'recorder.js')

  /** Needs the build in `dist`. */
  constructor() {
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'))
    copyFileSync(join(root, 'package.json'), join(this.#folder, 'package.json'))
    writeFileSync(
      this.#recorder,
      'export const recording = {}\nexport const __enter = (id) => recording.entered?.push(id)\n',
    )
  }

  /** A copied module, with the types of its source. */
  async load<Module>(path: string): Promise<Module> {
    this.#copy(`dist/${path}`)
    return (await import(pathToFileURL(join(this.#folder, 'dist', path)).href)) as Module
  }

  /** Copies a module and all modules that it imports. */
  #copy(path: string): void {
    const copy = join(this.#folder, path)
    if (existsSync(copy)) return
    const text = readFileSync(join(root, path), 'utf8')
    const traced = instrument(path.replace(/^dist\/|\.js$/g, ''), text)
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, `${traced}\nimport { __enter } from '${pathToFileURL(this.#recorder).href}'\n`)
    for (const imported of importedFiles({ path, text })) this.#copy(imported)
  }

  /** The functions that are entered while `work` runs, in order: `session/session:close`. */
  async during(work: () => Promise<unknown>): Promise<string[]> {
    const { recording } = (await import(pathToFileURL(this.#recorder).href)) as Recorder
    const entered: string[] = []
    recording.entered = entered
    try {
      await work()
    } finally {
      delete recording.entered
    }
    return entered
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The module that the traced functions report to. */
interface Recorder {
  readonly recording: { entered?: string[] }
}

/** The source with a call at the beginning of each function. */
export function instrument(name: string, text: string): string {
  const { program } = parseSync(`${name}.js`, text)
  const inserts: { readonly at: number; readonly code: string }[] = []
  const visit = (node: ESTree.Node, parent: ESTree.Node | undefined): void => {
    if (isFunction(node) && node.body) {
      const enter = `__enter(${JSON.stringify(`${name}:${nameOf(node, parent)}`)})`
      const { body } = node
      if (body.type === 'BlockStatement') {
        inserts.push({ at: body.start + 1, code: `${enter};` })
      } else {
        inserts.push({ at: body.start, code: `(${enter},(` })
        inserts.push({ at: body.end, code: '))' })
      }
    }
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, node)
  }
  visit(program, undefined)
  // Closing parentheses of inner arrows come before those of outer ones at the same place; opening ones after.
  const sorted = inserts
    .map((insert, order) => ({ ...insert, order: insert.code === '))' ? -order : order }))
    .toSorted((a, b) => a.at - b.at || a.order - b.order)
  let out = ''
  let last = 0
  for (const { at, code } of sorted) {
    out += text.slice(last, at) + code
    last = at
  }
  return out + text.slice(last)
}

type FunctionNode = ESTree.Function | ESTree.ArrowFunctionExpression

const isFunction = (node: ESTree.Node): node is FunctionNode =>
  node.type === 'FunctionDeclaration' ||
  node.type === 'FunctionExpression' ||
  node.type === 'ArrowFunctionExpression'

const isNode = (value: unknown): value is ESTree.Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** The name that a reader knows a function by; `λ` for one without. */
function nameOf(node: FunctionNode, parent: ESTree.Node | undefined): string {
  if ('id' in node && node.id) return node.id.name
  if (parent && 'key' in parent && parent.key) {
    const kind = 'kind' in parent && parent.kind === 'get' ? 'get ' : ''
    const hash = parent.key.type === 'PrivateIdentifier' ? '#' : ''
    return kind + hash + ('name' in parent.key && typeof parent.key.name === 'string' ? parent.key.name : '?')
  }
  if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name
  return 'λ'
}
