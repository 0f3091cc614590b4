import { OptionError, type TaskContext, type Timer } from '../scope/index.ts'
import type { FallbackChange, FallbackOptions } from './fallback-options.ts'
import type { PartContext } from './part.ts'

interface Member<Part> {
  readonly part: Part
  readonly index: number
  failures: number
  /** Out of use: it has failed, and no probe has found it well since. */
  out: boolean
  /** When it will be probed. */
  timer: Timer | undefined
}

/** Finds out whether a model works, in a scope that is closed afterwards; throws if it does not. */
export type Probe<Part> = (part: Part, context: PartContext, task: TaskContext) => Promise<void>

/**
 * The models of a fallback, in the order in which they are to be tried: those that work as they were listed, then those
 * that have failed, as a last resort. What has failed is probed in the background until it works, so often at most as
 * the options say; the timers belong to the scope and end with it.
 */
export class Rota<Part extends { readonly name: string }> {
  readonly name: string
  readonly context: PartContext
  readonly #options: FallbackOptions
  readonly #probe: Probe<Part>
  readonly #members: readonly Member<Part>[]

  constructor(
    name: string,
    parts: readonly Part[],
    context: PartContext,
    options: FallbackOptions,
    probe: Probe<Part>,
  ) {
    this.name = name
    this.context = context
    this.#options = options
    this.#probe = probe
    this.#members = parts.map((part, index) => ({ part, index, failures: 0, out: false, timer: undefined }))
  }

  /** Whom to try, in order, as it is now. */
  get order(): readonly Part[] {
    const working = this.#members.filter(({ out }) => !out)
    return [...working, ...this.#members.filter(({ out }) => out)].map(({ part }) => part)
  }

  /** It has answered. */
  worked(part: Part): void {
    const member = this.#memberOf(part)
    member.failures = 0
    if (!member.out) return
    member.out = false
    member.timer?.clear()
    this.#change('recovered', member)
  }

  failed(part: Part, error: unknown): void {
    const member = this.#memberOf(part)
    // One that is out already has its probe.
    if (member.out) return
    member.out = true
    this.#change('failed', member, error)
    this.#probeLater(member, error)
  }

  #probeLater(member: Member<Part>, error: unknown): void {
    const { scope, random } = this.context
    if (scope.state !== 'live') return
    const { probes = 6, probeAfter = 5_000 } = this.#options
    if (member.failures >= probes) return this.#change('given-up', member, error)
    // A tenth of chance, so that a hundred calls do not knock at once.
    const pause = probeAfter * 2 ** member.failures++ * (1 + random.next() / 10)
    member.timer = scope.after(pause, `probe of '${member.part.name}'`, () => this.#try(member))
    return undefined
  }

  #try(member: Member<Part>): void {
    const { scope } = this.context
    scope.spawn(`probe of '${member.part.name}'`, async (task) => {
      const own = scope.child(`probe of '${member.part.name}'`)
      try {
        await this.#probe(member.part, { ...this.context, scope: own }, task)
        this.worked(member.part)
      } catch (error) {
        if (task.cancelled) throw error
        if (member.out) this.#probeLater(member, error)
      } finally {
        await own.close({ reason: 'probed' })
      }
    })
  }

  #change(type: FallbackChange['type'], { part, index }: Member<Part>, error?: unknown): void {
    const { logger } = this.context
    const fields = { fallback: this.name, model: part.name, index, ...(error === undefined ? {} : { error }) }
    if (type === 'recovered') logger.info(fields, 'model works again')
    else logger.warn(fields, type === 'failed' ? 'model failed, using the next' : 'model given up')
    try {
      this.#options.onChange?.({ type, model: part.name, index, ...(error === undefined ? {} : { error }) })
    } catch (thrown) {
      logger.error({ fallback: this.name, error: thrown }, 'onChange threw')
    }
  }

  #memberOf(part: Part): Member<Part> {
    return this.#members.find((member) => member.part === part)!
  }
}

/** The name of a fallback, and that it has models at all. */
export function nameOf(parts: readonly { readonly name: string }[], options: FallbackOptions): string {
  if (parts.length === 0) throw new OptionError('a fallback needs at least one model')
  return options.name ?? parts.map(({ name }) => name).join(' or ')
}
