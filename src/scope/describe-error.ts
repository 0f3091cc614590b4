import { limits } from './limits.ts'
import type { ErrorReport } from './report.ts'

/** Anything thrown, as plain JSON of bounded size. Never throws, whatever getters the thrown thing has. */
export function describeError(error: unknown): ErrorReport {
  try {
    if (!(error instanceof Error)) return { name: 'thrown', message: clip(String(error)) }
    const code = 'code' in error && typeof error.code === 'string' ? { code: clip(error.code) } : {}
    return { name: clip(String(error.name)), message: clip(String(error.message)), ...code }
  } catch {
    return { name: 'thrown', message: 'something that cannot be printed' }
  }
}

function clip(text: string): string {
  return text.length <= limits.message ? text : `${text.slice(0, limits.message - 1)}…`
}
