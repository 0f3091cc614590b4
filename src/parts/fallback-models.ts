import { OptionError, type TaskContext, type Timer } from '../scope/index.ts'
import type { FallbackChange, FallbackOptions } from './fallback-options.ts'
import type { PartContext } from './part.ts'

interface Member<Part> {
  readonly part: Part
  readonly index: number
  failures: number
  /** Whether it has failed and no probe has succeeded since. */
  down: boolean
  probeTimer: Timer | undefined
}

/** Checks whether a model works, in a scope that is closed afterwards. Throws if it does not work. */
export type Probe<Part> = (part: Part, context: PartContext, task: TaskContext) => Promise<void>

/**
 * The models of a fallback, in the order in which they are tried: working models as listed, then failed ones as a last
 * resort. A failed model is probed in the background until it works or the probes are used up. The timers belong to the
 * scope.
 */
export class FallbackModels<Part extends { readonly name: string }> {
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
    this.#members = parts.map((part, index) => ({
      part,
      index,
      failures: 0,
      down: false,
      probeTimer: undefined,
    }))
  }

  get order(): readonly Part[] {
    const working = this.#members.filter(({ down }) => !down)
    return [...working, ...this.#members.filter(({ down }) => down)].map(({ part }) => part)
  }
  worked(part: Part): void {
    const member = this.#memberOf(part)
    member.failures = 0
    if (!member.down) return
    member.down = false
    member.probeTimer?.clear()
    this.#change('recovered', member)
  }

  failed(part: Part, error: unknown): void {
    const member = this.#memberOf(part)
    // A probe is already planned.
    if (member.down) return
    member.down = true
    this.#change('failed', member, error)
    this.#probeLater(member, error)
  }

  #probeLater(member: Member<Part>, error: unknown): void {
    const { scope, random } = this.context
    if (scope.state !== 'live') return
    const { probes = 6, probeAfter = 5_000 } = this.#options
    if (member.failures >= probes) return this.#change('given-up', member, error)
    // Up to 10 % of jitter, so that the probes of many calls do not coincide.
    const delay = probeAfter * 2 ** member.failures++ * (1 + random.next() / 10)
    member.probeTimer = scope.after(delay, `probe of '${member.part.name}'`, () => this.#probeNow(member))
    return undefined
  }

  #probeNow(member: Member<Part>): void {
    const { scope } = this.context
    scope.spawn(`probe of '${member.part.name}'`, async (task) => {
      const own = scope.child(`probe of '${member.part.name}'`)
      try {
        await this.#probe(member.part, { ...this.context, scope: own }, task)
        this.worked(member.part)
      } catch (error) {
        if (task.cancelled) throw error
        if (member.down) this.#probeLater(member, error)
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

/** The name of a fallback. Throws if it has no models. */
export function nameOf(parts: readonly { readonly name: string }[], options: FallbackOptions): string {
  if (parts.length === 0) throw new OptionError('a fallback needs at least one model')
  return options.name ?? parts.map(({ name }) => name).join(' or ')
}
