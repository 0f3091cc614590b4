import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** Where a program is, looking through the folders of PATH; undefined if it is in none. */
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
      // Not here.
    }
  }
  return undefined
}
