import type { ConnectionReport, PartContext } from '../parts/index.ts'
import { Scope } from '../scope/index.ts'
import type { SessionSettings } from './settings.ts'

/**
 * Owns everything of a session, in the order in which it is ended:
 *
 *   work ──▶ rest: links ──▶ stores
 *
 * The rest is one scope of its own, so that the last words, which are work, may use half of the time and not a third.
 * Hooks stand in the last phase: they are awaited like everything else, and hold nothing back (CL4).
 */
export class Owner {
  readonly scope: Scope<'work' | 'rest'>
  readonly #rest: Scope<'links' | 'stores'>
  readonly #settings: SessionSettings
  readonly #ended: (connection: ConnectionReport) => void

  constructor(
    settings: SessionSettings,
    onProblem: (where: string, error: unknown) => void,
    ended: (connection: ConnectionReport) => void,
  ) {
    const { id, clock, closeTimeout, intercept, onLate } = settings
    this.#settings = settings
    this.#ended = ended
    this.scope = new Scope(`session ${id}`, {
      phases: ['work', 'rest'],
      clock,
      closeTimeout: closeTimeout,
      ...(intercept ? { intercept } : {}),
      ...(onLate ? { onLate } : {}),
      onProblem: ({ where }, error) => onProblem(where, error),
    })
    this.#rest = this.scope.child('rest', { phase: 'rest', phases: ['links', 'stores'] })
  }

  /** Where hooks run, and what keeps the result is kept. */
  get stores(): Scope<string> {
    return this.#rest
  }

  /** For the line and the models. */
  links(): PartContext {
    return this.#partContext(this.#rest.child('links', { phase: 'links' }))
  }

  toolset(name: string): PartContext {
    return this.#partContext(this.#rest.child(`toolset ${name}`, { phase: 'stores' }))
  }

  #partContext(scope: Scope<string>): PartContext {
    const { network, random, logger } = this.#settings
    return { scope, network, random, logger, ended: this.#ended }
  }
}
