import { limits } from './limits.ts'
import type { ErrorReport } from './report.ts'

/** Describes any thrown value as plain JSON of bounded size. Never throws, whatever getters the value has. */
export function describeError(error: unknown): ErrorReport {
  try {
    if (!(error instanceof Error)) return { name: 'thrown', message: clip(error) }
    const code = 'code' in error && typeof error.code === 'string' ? { code: clip(error.code) } : {}
    return { name: clip(error.name), message: clip(error.message), ...code }
  } catch {
    return { name: 'thrown', message: 'a value that cannot be printed' }
  }
}

/** The name or message of an error may be anything, whatever its type says. */
function clip(value: unknown): string {
  const text = String(value)
  return text.length <= limits.message ? text : `${text.slice(0, limits.message - 1)}…`
}
