import { LimitError, OptionError, type Scope } from '../../scope/index.ts'
import type { FallbackChange, FallbackOptions } from './fallback-options.ts'
import type { PartContext } from '../part.ts'
import type { Ailment, VendorHealth } from './vendor-health.ts'

/** One use of a model, from its opening or its request to its end. */
export interface ModelUse<Part> {
  readonly part: Part
  /** The model's index in the list. */
  readonly index: number
  /** The model has answered. */
  worked(): void
  /** The model has failed, or has refused the request. */
  failed(error: unknown): void
}

/** The models of a fallback in one call. Their health is shared by all calls. */
export class FallbackModels<Part extends { readonly name: string }> {
  readonly name: string
  readonly #parts: readonly Part[]
  readonly #health: VendorHealth
  readonly #context: PartContext
  readonly #onChange: FallbackOptions['onChange']
  /** The failures that this call's log has already, by the model's index. */
  readonly #logged = new Map<number, Ailment>()

  constructor(
    name: string,
    parts: readonly Part[],
    health: VendorHealth,
    context: PartContext,
    { onChange }: FallbackOptions,
  ) {
    this.name = name
    this.#parts = parts
    this.#health = health
    this.#context = context
    this.#onChange = onChange
  }

  /** The first healthy model that is not in `tried`, or else the one that is healthy soonest. Undefined if all were tried. */
  next(tried: { has(index: number): boolean }, within: number): ModelUse<Part> | undefined {
    const left = [...this.#parts.keys()].filter((each) => !tried.has(each))
    const now = this.#now
    const index = this.#health.best(left, now)
    if (index === undefined) return undefined
    for (const each of left) if (each < index) this.#passedOver(each, now)
    const use = this.#health.begin(index, now, within)
    return {
      part: this.#parts[index]!,
      index,
      worked: () => {
        if (this.#health.worked(index, use)) this.#change('recovered', index)
      },
      failed: (error) => this.#failed(index, use, error),
    }
  }

  #failed(index: number, use: number, error: unknown): void {
    const fields = { fallback: this.name, model: this.#parts[index]!.name, index, error }
    if (isOurMistake(error)) {
      this.#context.logger.warn(fields, 'model refused the request, using the next')
      return
    }
    const ailment = this.#health.failed(index, use, error, this.#now)
    if (ailment) return this.#change('failed', index, ailment)
    this.#context.logger.warn(fields, 'model failed, using the next')
  }

  #passedOver(index: number, now: number): void {
    const ailment = this.#health.ailmentOf(index, now)
    if (ailment && this.#logged.get(index) !== ailment) this.#change('passed-over', index, ailment)
  }

  #change(type: FallbackChange['type'], index: number, ailment?: Ailment): void {
    const { logger } = this.#context
    const model = this.#parts[index]!.name
    const failure = ailment ? { error: ailment.error, coolDown: ailment.until - this.#now } : {}
    const fields = { fallback: this.name, model, index, ...failure }
    if (ailment) this.#logged.set(index, ailment)
    if (type === 'recovered') logger.info(fields, 'model works again')
    else if (type === 'failed') logger.warn(fields, 'model failed, using the next')
    else logger.info(fields, 'model passed over, because it failed lately')
    try {
      this.#onChange?.({ type, model, index, ...failure })
    } catch (thrown) {
      logger.error({ fallback: this.name, error: thrown }, 'onChange threw')
    }
  }

  get #now(): number {
    return this.#context.scope.clock.now()
  }
}

/** Statuses of HTTP that blame the request, which no other request has to suffer for. */
const BAD_REQUEST = new Set([400, 413, 422])

/** Whether the request is to blame and not the model. */
function isOurMistake(error: unknown): boolean {
  if (error instanceof OptionError || error instanceof LimitError) return true
  return error instanceof Error && 'status' in error && BAD_REQUEST.has(error.status as number)
}

/** What a member of a fallback is opened with: what it uses is counted as its own. */
export function memberContext(context: PartContext, scope: Scope<string>, by: string): PartContext {
  return { ...context, scope, used: (usage) => context.used({ by, ...usage }) }
}

/** The name of a fallback. Throws if it has no models. */
export function nameOf(parts: readonly { readonly name: string }[], options: FallbackOptions): string {
  if (parts.length === 0) throw new OptionError('a fallback needs at least one model')
  return options.name ?? parts.map(({ name }) => name).join(' or ')
}
