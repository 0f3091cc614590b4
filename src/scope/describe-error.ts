import { clip } from './clip.ts'
import { limits } from './limits.ts'
import type { ErrorReport } from './report.ts'

/** Anything thrown, as plain JSON of bounded size. Never throws, whatever getters the thrown thing has. */
export function describeError(error: unknown): ErrorReport {
  try {
    if (!(error instanceof Error)) return { name: 'thrown', message: textOf(error) }
    const code = 'code' in error && typeof error.code === 'string' ? { code: textOf(error.code) } : {}
    return { name: textOf(error.name), message: textOf(error.message), ...code }
  } catch {
    return { name: 'thrown', message: 'something that cannot be printed' }
  }
}

/** Names and messages of errors are not always strings, whatever their type says. */
const textOf = (value: unknown): string => clip(String(value), limits.message)
