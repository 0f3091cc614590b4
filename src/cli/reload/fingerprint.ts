import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file that a process has loaded, as it was then. */
export interface LoadedFile {
  readonly path: string
  readonly fingerprint: string
}

/** The folder of endwell's own modules. */
const own = fileURLToPath(new URL('../../', import.meta.url))

/** Whether a module belongs to the project: neither to an installed package nor to endwell. */
export function isOwn(path: string): boolean {
  return !path.includes(`${sep}node_modules${sep}`) && !path.startsWith(own)
}

/** Equal for files with the same content. Empty if there is no such file. */
export function fingerprintOf(path: string): string {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('base64')
  } catch {
    return ''
  }
}
