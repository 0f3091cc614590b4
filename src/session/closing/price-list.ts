import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import { checkPrice, unitNames, type NamedPart, type Price, type Prices } from './cost.ts'

/** The published price of a product, per unit. */
export interface ListPrice extends Price {
  /** Where the price can be looked up. */
  readonly source?: string
  /** When it was last known to be right: `2026-11`. Default: that of the list. */
  readonly asOf?: string
  /**
   * `reported`: found in publications that quote the vendor's page. `memory`: written down without any source at hand. Check
   * either before you rely on it.
   */
  readonly basis?: 'reported' | 'memory'
}

/**
 * Prices by product: `{ currency: 'USD', products: { 'deepgram/nova-3': { audioSeconds: 0.0001 } } }`. A name that ends in `*`
 * stands for all products that begin like that.
 */
export interface PriceList {
  /** The currency of the list, and of the other prices of the session: `USD`. */
  readonly currency: string
  /** When the prices were last known to be right: `2026-11`. */
  readonly asOf?: string
  readonly products: Readonly<Record<string, ListPrice>>
}

const MINUTE = 60
const HOUR = 3_600
const MILLION = 1_000_000

const tokens = (input: number, cached: number, output: number): Price => ({
  inputTokens: input / MILLION,
  cachedTokens: cached / MILLION,
  outputTokens: output / MILLION,
})

const reported = (asOf: string, source: string): Pick<ListPrice, 'asOf' | 'source' | 'basis'> => ({
  asOf,
  source,
  basis: 'reported',
})

/** Not looked up: `source` is where to. */
const remembered = (asOf: string, source: string): Pick<ListPrice, 'asOf' | 'source' | 'basis'> => ({
  asOf,
  source,
  basis: 'memory',
})

const openai = 'https://developers.openai.com/api/docs/pricing'
const deepgram = 'https://deepgram.com/pricing'
const anthropic = 'https://claude.com/pricing'

/**
 * Published prices without discounts, in US dollars. Vendors change them, and yours may differ by contract: pass a list of your
 * own instead, or `prices` for single models.
 *
 * Missing on purpose, so that they are reported as unpriced: realtime models, which charge for tokens of sound and of text
 * differently while they are counted together; vendors that sell credits or plans (Cartesia, ElevenLabs, Rime); and models whose
 * price we do not know.
 */
export const defaultPriceList: PriceList = {
  currency: 'USD',
  asOf: '2026-11',
  products: {
    // Models on this machine.
    'local/*': { inputTokens: 0, outputTokens: 0, audioSeconds: 0, characters: 0 },
    // Quoted by others from the vendors' pages.
    'openai/gpt-5.4': { ...tokens(2.5, 0.25, 15), ...reported('2026-03', openai) },
    'openai/gpt-5.4-mini': { ...tokens(0.75, 0.075, 4.5), ...reported('2026-03', openai) },
    'openai/gpt-5': { ...tokens(1.25, 0.125, 10), ...reported('2026-03', openai) },
    'openai/gpt-5-mini': { ...tokens(0.25, 0.025, 2), ...reported('2026-03', openai) },
    'openai/gpt-4.1': { ...tokens(2, 0.5, 8), ...reported('2026-06', openai) },
    'openai/gpt-4.1-mini': { ...tokens(0.4, 0.1, 1.6), ...reported('2026-06', openai) },
    'openai/gpt-4.1-nano': { ...tokens(0.1, 0.025, 0.4), ...reported('2026-03', openai) },
    'openai/gpt-4o': { ...tokens(2.5, 1.25, 10), ...reported('2026-05', openai) },
    'openai/gpt-4o-mini': { ...tokens(0.15, 0.075, 0.6), ...reported('2026-05', openai) },
    'deepgram/flux-general-en': { audioSeconds: 0.0065 / MINUTE, ...reported('2026-04', deepgram) },
    'deepgram/flux-general-multi': { audioSeconds: 0.0078 / MINUTE, ...reported('2026-04', deepgram) },
    // From memory.
    'openai/tts-1': { characters: 15 / MILLION, ...remembered('2025', openai) },
    'openai/tts-1-hd': { characters: 30 / MILLION, ...remembered('2025', openai) },
    'deepgram/nova-3': { audioSeconds: 0.0077 / MINUTE, ...remembered('2025', deepgram) },
    'deepgram/aura-2-*': { characters: 30 / MILLION, ...remembered('2025', deepgram) },
    'assemblyai/universal-streaming*': {
      audioSeconds: 0.15 / HOUR,
      ...remembered('2025', 'https://www.assemblyai.com/pricing'),
    },
    'anthropic/claude-haiku-4-5*': { ...tokens(1, 0.1, 5), ...remembered('2025', anthropic) },
    'anthropic/claude-sonnet-4-5*': { ...tokens(3, 0.3, 15), ...remembered('2025', anthropic) },
  },
}

const listNames: OptionNames<PriceList> = { currency: true, asOf: true, products: true }
const priceNames: OptionNames<ListPrice> = { ...unitNames, source: true, asOf: true, basis: true }

/** Throws `OptionError` if this is not a price list. */
export function checkPriceList(what: string, list: PriceList): void {
  checkOptions(what, list, listNames)
  if (!/^[A-Z]{3}$/.test(list.currency))
    throw new OptionError(`${what}: currency must be a code of three letters, such as USD or EUR`)
  if (typeof list.products !== 'object' || list.products === null)
    throw new OptionError(`${what}: products must be an object of prices by product`)
  for (const [product, price] of Object.entries(list.products)) {
    checkOptions(`${what}: '${product}'`, price, priceNames)
    checkPrice(`${what}: '${product}'`, price)
  }
}

/** The prices of these parts, by their names, as far as the list has them. Members of a fallback count. */
export function listedPrices({ products }: PriceList, parts: readonly (NamedPart | undefined)[]): Prices {
  const prices: Record<string, Price> = {}
  const add = (part: NamedPart): void => {
    const { name, product = productOf(part) } = part
    const listed = product === undefined ? undefined : find(products, product)
    // An STT and a TTS of one vendor have the same name, and different units.
    if (listed) prices[name] = { ...prices[name], ...unitsOf(listed) }
    for (const member of part.members ?? []) add(member)
  }
  for (const part of parts) if (part) add(part)
  return prices
}

const productOf = ({ provider, model }: NamedPart): string | undefined =>
  provider === undefined || model === undefined ? undefined : `${provider}/${model}`

/** The price of exactly this product, or of the longest beginning. */
function find(products: PriceList['products'], product: string): ListPrice | undefined {
  if (Object.hasOwn(products, product)) return products[product]
  const [family] = Object.keys(products)
    .filter((name) => name.endsWith('*') && product.startsWith(name.slice(0, -1)))
    .toSorted((one, other) => other.length - one.length)
  return family === undefined ? undefined : products[family]
}

function unitsOf(listed: ListPrice): Price {
  return Object.fromEntries(Object.entries(listed).filter(([name]) => Object.hasOwn(unitNames, name)))
}
