import { readFileSync } from 'node:fs'
import { describeError } from '../scope/index.ts'
import { checkPriceList, type PriceList } from '../session/index.ts'
import { InvalidValue } from './configuration.ts'

/** Reads a price list from a file of JSON. Throws `InvalidValue`. */
export function priceFile(path: string): PriceList {
  try {
    const list = JSON.parse(readFileSync(path, 'utf8')) as PriceList
    checkPriceList('its price list', list)
    return list
  } catch (error) {
    throw new InvalidValue(`must be a file of JSON with prices (${describeError(error).message})`)
  }
}
