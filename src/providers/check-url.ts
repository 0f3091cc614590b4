import { addressProblem } from '../link/index.ts'
import { OptionError } from '../scope/index.ts'

/** Throws if `url` cannot be an address, so that a typing error is reported at once and not as a network failure. */
export function checkUrl(provider: string, url: string): void {
  const problem = addressProblem(url)
  if (problem !== undefined) throw new OptionError(`${provider}: the url option is invalid: ${problem}`)
}
