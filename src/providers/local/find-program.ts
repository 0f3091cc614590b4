import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** The path of a program in one of the folders of PATH; undefined if there is none. */
export async function findProgram(
  name: string,
  path = process.env['PATH'] ?? '',
): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const file = join(folder, name)
    try {
      await access(file, constants.X_OK)
      return file
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}
