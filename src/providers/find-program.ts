import { accessSync, constants } from 'node:fs'
import { basename, delimiter, join } from 'node:path'

/** The path of a program in one of the folders of PATH, or of one that is named by its path; undefined if there is none. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | undefined {
  const folders = basename(name) === name ? path.split(delimiter).filter(Boolean) : ['']
  for (const folder of folders) {
    const file = join(folder, name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}
