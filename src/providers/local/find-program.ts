import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of a program in one of the folders of PATH; undefined if there is none. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | undefined {
  for (const folder of path.split(delimiter).filter(Boolean)) {
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
