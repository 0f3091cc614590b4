import { readFile } from 'node:fs/promises'
import { transformWithOxc } from 'vite'

/** The init script that gives a page `ears`: see `page-ears.ts`. */
export async function earsScript(): Promise<string> {
  const source = await readFile(new URL('page-ears.ts', import.meta.url), 'utf8')
  const { code } = await transformWithOxc(source, 'page-ears.ts', { sourcemap: false, target: 'es2022' })
  // An init script is not a module.
  return code.replace(/^export \{\};?$/m, '')
}
