import type { Usage } from '../../parts/index.ts'
import { OptionError, checkOptions, didYouMean, type OptionNames } from '../../scope/index.ts'

/** The price of each unit that a model uses, in whatever currency the prices of a session share. */
export interface Price {
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** For input tokens that the vendor had in its cache. Default: the price of `inputTokens`. */
  readonly cachedTokens?: number
  readonly audioSeconds?: number
  readonly characters?: number
  readonly spokenSeconds?: number
}

/** Prices by the name of the part, or of the member of a fallback: `{ deepgram: { audioSeconds: 0.0001 } }`. */
export type Prices = Readonly<Record<string, Price>>

/** What a call cost, in the currency of its prices. */
export interface CostReport {
  /** The sum of `models`. It lacks what the `unpriced` models cost. */
  readonly total: number
  /** By the name of the part. */
  readonly models: Readonly<Record<string, number>>
  /** Models that used something that has no price. */
  readonly unpriced: readonly string[]
  /** The currency of the price list. Absent if the session has none: that of `prices`, whichever it is. */
  readonly currency?: string
}

export const unitNames: OptionNames<Price> = {
  inputTokens: true,
  outputTokens: true,
  cachedTokens: true,
  audioSeconds: true,
  characters: true,
  spokenSeconds: true,
}

const units = Object.keys(unitNames) as readonly (keyof Price)[]

/** Units whose price makes that of another one unnecessary: no vendor charges for both. */
const pricedAlsoBy: { readonly [Unit in keyof Price]: readonly (keyof Price)[] } = {
  cachedTokens: ['inputTokens'],
  characters: ['spokenSeconds', 'outputTokens'],
  spokenSeconds: ['characters', 'outputTokens'],
}

/** A part, or a fallback of several. */
export interface NamedPart {
  readonly name: string
  /** What price lists call it. Default: `provider/model`. */
  readonly product?: string | undefined
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly members?: readonly NamedPart[]
}

/** Throws `OptionError` if there is a price for something that is not one of the parts, or that nothing can use. */
export function checkPrices(what: string, prices: Prices, parts: readonly (NamedPart | undefined)[]): void {
  const names = parts.flatMap((part) => (part ? namesOf(part) : []))
  // Every name is allowed here: the check below has better words for a wrong one.
  checkOptions<Record<string, Price>>(what, prices, allTrue(Object.keys(Object(prices))))
  for (const [name, price] of Object.entries(prices)) {
    if (!names.includes(name)) {
      const hint = didYouMean(name, names) || ` There are: ${[...new Set(names)].join(', ')}`
      throw new OptionError(`${what}: there is no part with the name '${name}'.${hint}`)
    }
    checkOptions(`${what} of '${name}'`, price, unitNames)
    checkPrice(`${what} of '${name}'`, price)
  }
}

/** Throws `OptionError` if a unit has a price that is not a finite number of 0 or more. */
export function checkPrice(what: string, price: Price): void {
  for (const unit of units) {
    const value = price[unit]
    if (value === undefined || (Number.isFinite(value) && value >= 0)) continue
    throw new OptionError(
      `${what}: ${unit} must be a finite number, 0 or more; it is ${JSON.stringify(value)}`,
    )
  }
}

function allTrue(names: readonly string[]): Record<string, true> {
  return Object.fromEntries(names.map((name) => [name, true]))
}

/** A fallback uses nothing itself: its members do. */
function namesOf({ name, members = [] }: NamedPart): readonly string[] {
  return members.length > 0 ? members.flatMap(namesOf) : [name]
}

export function costOf(used: ReadonlyMap<string, Usage>, prices: Prices, currency?: string): CostReport {
  const models: [string, number][] = []
  const unpriced: string[] = []
  for (const [name, usage] of used) {
    const price = Object.hasOwn(prices, name) ? prices[name] : undefined
    if (price) models.push([name, costOfModel(usage, price)])
    if (lacksPrice(usage, price ?? {})) unpriced.push(name)
  }
  const total = rounded(models.reduce((sum, [, cost]) => sum + cost, 0))
  return Object.freeze({
    total,
    models: Object.freeze(Object.fromEntries(models)),
    unpriced: Object.freeze(unpriced),
    ...(currency === undefined ? {} : { currency }),
  })
}

function costOfModel(usage: Usage, price: Price): number {
  const { inputTokens = 0, cachedTokens = 0 } = usage
  // Cached tokens are input tokens, too, and are charged once.
  const cached = price.cachedTokens === undefined ? 0 : Math.min(cachedTokens, inputTokens)
  const charged: Usage = { ...usage, inputTokens: inputTokens - cached, cachedTokens: cached }
  return rounded(units.reduce((sum, unit) => sum + (charged[unit] ?? 0) * (price[unit] ?? 0), 0))
}

function lacksPrice(usage: Usage, price: Price): boolean {
  return units.some((unit) => {
    const sufficient = [unit, ...(pricedAlsoBy[unit] ?? [])]
    return (usage[unit] ?? 0) > 0 && sufficient.every((each) => price[each] === undefined)
  })
}

/** Removes the noise of binary fractions: 0.1 + 0.2 is 0.3. */
const rounded = (value: number): number => Number(value.toPrecision(12))
