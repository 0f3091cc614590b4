import { posix } from 'node:path'
import { Visitor, type ESTree } from 'vite'

import { parse, textOf, type Node, type Syntax } from './syntax.ts'
import type { Source } from './tree.ts'

export interface Import {
  /** Undefined if the specifier is computed. */
  readonly from: string | undefined
  readonly typeOnly: boolean
  /** Whether the module is loaded when an expression is evaluated, not with the file. */
  readonly late: boolean
  /** The imported names, as the other module calls them. Empty if the whole module is imported. */
  readonly names: readonly string[]
  readonly line: number
}

/** The imports of the sources that were read, by path. Parsing the repository takes two seconds, and several checks need them. */
const known = new Map<string, { readonly text: string; readonly imports: readonly Import[] }>()

/** The imports of a source, in every form that TypeScript has. `syntax` is for callers that have parsed the source. */
export function importsOf({ path, text }: Source, syntax?: Syntax): readonly Import[] {
  const read = known.get(path)
  if (read?.text === text) return read.imports
  const imports = importsIn(syntax ?? parse({ path, text }))
  known.set(path, { text, imports })
  return imports
}

function importsIn({ program, comments, lineOf }: Syntax): Import[] {
  const found: Import[] = []
  const add = (node: Node, from: string | undefined, typeOnly = false, names: string[] = []): void => {
    found.push({ from, typeOnly, late: isExpression(node), names, line: lineOf(node) })
  }
  new Visitor({
    ImportDeclaration(node) {
      add(node, node.source.value, node.importKind === 'type', node.specifiers.flatMap(importedName))
    },
    ExportNamedDeclaration(node) {
      if (node.source === null) return
      const names = node.specifiers.map(({ local }) => nameOf(local))
      add(node, node.source.value, node.exportKind === 'type', names)
    },
    ExportAllDeclaration: (node) => add(node, node.source.value, node.exportKind === 'type'),
    ImportExpression: (node) => add(node, textOf(node.source)),
    TSImportType: (node) => add(node, textOf(node.source), true),
    TSExternalModuleReference: (node) => add(node, textOf(node.expression)),
    CallExpression(node) {
      const { callee } = node
      if (callee.type === 'Identifier' && callee.name === 'require') add(node, textOf(node.arguments[0]))
    },
  }).visit(program)
  for (const comment of comments) {
    const reference = /^\/\s*<reference\s+(?:path|types)\s*=\s*["']([^"']+)/.exec(comment.value)
    if (reference !== null)
      found.push({ from: reference[1], typeOnly: true, late: false, names: [], line: lineOf(comment) })
  }
  return found
}

const isExpression = ({ type }: Node): boolean => type === 'ImportExpression' || type === 'CallExpression'

/** Resolves a relative import of a file to a path below the root of the repository. */
export const resolved = (path: string, from: string): string => posix.join(posix.dirname(path), from)

/** The files of the repository that a source imports, types included, each once. */
export function importedFiles(source: Source): readonly string[] {
  const files = importsOf(source).flatMap(({ from }) =>
    from?.startsWith('.') ? [resolved(source.path, from)] : [],
  )
  return [...new Set(files)]
}

function importedName(specifier: ESTree.ImportDeclarationSpecifier): string[] {
  if (specifier.type !== 'ImportSpecifier' || specifier.importKind === 'type') return []
  return [nameOf(specifier.imported)]
}

const nameOf = (node: ESTree.ModuleExportName): string => (node.type === 'Literal' ? node.value : node.name)
