import { limits } from './limits.ts'
import type { ErrorReport } from './report.ts'

/** Anything thrown, as plain JSON of bounded size. Never throws, whatever getters the thrown thing has. */
export function describeError(error: unknown): ErrorReport {
  try {
    if (!(error instanceof Error)) return { name: 'thrown', message: clip(error) }
    const code = 'code' in error && typeof error.code === 'string' ? { code: clip(error.code) } : {}
    return { name: clip(error.name), message: clip(error.message), ...code }
  } catch {
    return { name: 'thrown', message: 'something that cannot be printed' }
  }
}

/** Names and messages of errors are not always strings, whatever their type says. */
function clip(value: unknown): string {
  const text = String(value)
  return text.length <= limits.message ? text : `${text.slice(0, limits.message - 1)}…`
}
