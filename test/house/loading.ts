import { importsOf, resolved } from './imports.ts'
import { read } from './tree.ts'

/** The packages that are loaded together with a source file, by it or by files that it imports. Node's own do not count. */
export function packagesLoadedWith(path: string): string[] {
  const packages = new Set<string>()
  const files = new Set([path])
  for (const file of files) {
    for (const { from, typeOnly, late } of importsOf({ path: file, text: read(file) })) {
      if (from === undefined || typeOnly || late || from.startsWith('node:')) continue
      if (from.startsWith('.')) files.add(resolved(file, from))
      else packages.add(from)
    }
  }
  return [...packages].toSorted()
}
