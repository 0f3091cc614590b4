import { clip } from './clip.ts'
import { limits } from './limits.ts'
import type { ErrorReport } from './report.ts'

/** Describes any thrown value as plain JSON of bounded size. Never throws, whatever getters the value has. */
export function describeError(error: unknown): ErrorReport {
  try {
    if (!(error instanceof Error)) return { name: 'thrown', message: textOf(error) }
    const name = textOf(error.name)
    const message = textOf(error.message)
    const code = 'code' in error ? error.code : undefined
    return typeof code === 'string' ? { name, message, code: textOf(code) } : { name, message }
  } catch {
    return { name: 'thrown', message: 'a value that cannot be printed' }
  }
}

/** The name or message of an error may be anything, whatever its type says. */
const textOf = (value: unknown): string => clip(String(value), limits.message)
