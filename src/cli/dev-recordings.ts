import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where `endwell dev` records calls. */
export interface DevRecordings {
  /** Undefined if calls are not recorded. */
  readonly folder?: string
  /** For the terminal. */
  readonly about: string
  /** Removes a folder that was only for this run. */
  remove(): void
}

/** `none`, a folder or, without a value, a temporary one: the page plays a recording only while it has the report. */
export function devRecordings(given: string | undefined): DevRecordings {
  const remove = (): void => {}
  if (given === 'none') return { about: 'Calls are not recorded.', remove }
  if (given !== undefined) return { folder: given, about: `Calls are recorded to ${given}.`, remove }
  const folder = mkdtempSync(join(tmpdir(), 'endwell-recordings-'))
  return {
    folder,
    about: 'Calls are recorded until you stop this command. Use --recordings none to turn this off.',
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
