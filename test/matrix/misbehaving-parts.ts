import { troubles } from '../../src/testing/troubles.ts'
import type { FullCall, FullCallOptions } from './full-call.ts'

/** Misbehaviour that a fault in a single step cannot express: of streams, marks and listeners. */
export interface MisbehavingParts {
  readonly about: string
  readonly call?: FullCallOptions
  readonly tamper?: (call: FullCall) => void
}

export const misbehavingParts: Readonly<Record<string, MisbehavingParts>> = {
  ...Object.fromEntries(
    Object.entries(troubles).map(([name, { about, parts }]) => [name, { about, call: parts }]),
  ),
  'listeners throw': {
    about: 'every listener of every event throws',
    tamper: ({ session }) => {
      const fail = (): never => {
        throw new Error('listener')
      }
      for (const name of ['started', 'state', 'user', 'speaking', 'spoken', 'error', 'closed'] as const) {
        session.on(name, fail)
        session.on(name, () => Promise.reject(new Error('late listener')))
      }
    },
  },
}
