import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync, type ESTree } from 'vite'

/** Declarations as they stand in a `.d.ts` file, by name: the text of each without private members. */
type Declarations = Map<string, Declaration[]>

export interface Declaration {
  readonly text: string
  /** The comment above it, without its delimiters. Empty without comments. */
  readonly about: string
}

/**
 * What a module exports, by name. Re-exports are followed to the file that declares the name, so a report shows the type
 * itself wherever it lives. Without `comments`, a change of a comment does not change the surface.
 */
export function surfaceOf(file: string, { comments = false } = {}): Declarations {
  return new Modules(comments).exportsOf(file)
}

class Modules {
  readonly #parsed = new Map<string, { program: ESTree.Program; text: string }>()
  readonly #comments: boolean

  constructor(comments: boolean) {
    this.#comments = comments
  }

  exportsOf(file: string): Declarations {
    const { program, text } = this.#read(file)
    const exported: Declarations = new Map()
    const add = (name: string, declarations: readonly Declaration[]): void => {
      exported.set(name, [...(exported.get(name) ?? []), ...declarations])
    }
    for (const node of program.body) {
      if (node.type === 'ExportAllDeclaration') {
        for (const [name, found] of this.exportsOf(this.#target(file, node.source.value))) add(name, found)
      } else if (node.type === 'ExportNamedDeclaration' && node.source) {
        const from = this.exportsOf(this.#target(file, node.source.value))
        for (const { local, exported: as } of node.specifiers) add(nameOf(as), from.get(nameOf(local)) ?? [])
      } else if (node.type === 'ExportNamedDeclaration' && node.declaration) {
        for (const name of declaredNames(node.declaration)) add(name, [declarationAt(node, text)])
      } else if (node.type === 'ExportNamedDeclaration') {
        const own = this.#locals(file)
        for (const { local, exported: as } of node.specifiers) add(nameOf(as), own.get(nameOf(local)) ?? [])
      }
    }
    return exported
  }

  /** The declarations and imports of a file that it exports by name, separately. */
  #locals(file: string): Declarations {
    const { program, text } = this.#read(file)
    const found: Declarations = new Map()
    for (const node of program.body) {
      if (node.type === 'ImportDeclaration') {
        const from = node.source.value.startsWith('.')
          ? this.exportsOf(this.#target(file, node.source.value))
          : undefined
        for (const specifier of node.specifiers) {
          const imported = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : '*'
          const foreign = { text: `import '${node.source.value}'`, about: '' }
          found.set(specifier.local.name, from?.get(imported) ?? [foreign])
        }
        continue
      }
      for (const name of declaredNames(node as ESTree.Declaration))
        found.set(name, [...(found.get(name) ?? []), declarationAt(node, text)])
    }
    return found
  }

  #read(file: string): { program: ESTree.Program; text: string } {
    const known = this.#parsed.get(file)
    if (known) return known
    const source = readFileSync(file, 'utf8')
    const text = this.#comments ? source : withoutComments(file, source)
    const { program, errors } = parseSync(file, text)
    if (errors[0]) throw new SyntaxError(`${file} cannot be parsed: ${errors[0].message}`)
    const parsed = { program, text }
    this.#parsed.set(file, parsed)
    return parsed
  }

  #target(file: string, specifier: string): string {
    return join(dirname(file), specifier.replace(/\.(tsx?|js)$/, '.d.ts'))
  }
}

function withoutComments(file: string, text: string): string {
  const { comments } = parseSync(file, text)
  let out = ''
  let last = 0
  for (const { start, end } of comments) {
    out += text.slice(last, start)
    last = end
  }
  return out + text.slice(last)
}

const nameOf = (node: ESTree.ModuleExportName): string => ('name' in node ? node.name : node.value)

function declaredNames(node: ESTree.Declaration): string[] {
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? id.name : []))
  return 'id' in node && node.id && 'name' in node.id ? [node.id.name] : []
}

/** A declaration and the comment above it, without `export`, `declare`, empty lines and private members. */
function declarationAt(node: { start: number; end: number }, source: string): Declaration {
  const [, comment = ''] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*$/.exec(source.slice(0, node.start)) ?? []
  const about = comment.replaceAll(/^[ \t]*\*?[ \t]?/gm, '').trim()
  const text = source
    .slice(node.start, node.end)
    .replace(/^(export )?(declare )?/, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/^\s*(#private|private )/.test(line))
    .join('\n')
  return { text, about }
}

/** The report of one entry point: its names in order, each with its declarations. */
export function reportOf(entry: string, file: string): string {
  const surface = surfaceOf(file)
  const names = [...surface.keys()].toSorted()
  const textsOf = (name: string): string[] => surface.get(name)!.map(({ text }) => text)
  const parts = names.map((name) => `## ${name}\n\n${textsOf(name).join('\n\n')}`)
  return `# ${entry}: ${names.length} names\n\n${parts.join('\n\n')}\n`
}
