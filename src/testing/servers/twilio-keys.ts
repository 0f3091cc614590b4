import type { Timer } from '../../scope/index.ts'
import type { CallLeg } from './twilio-leg.ts'

/** Milliseconds of a key and the pause after it. */
const KEY = 200

/** Plays keys to a phone: `w` waits for half a second, `W` for a whole one. */
export function sendKeys(leg: CallLeg, digits: string, then: () => void): Timer {
  return leg.after(lengthOf(digits), 'keys are sent', () => {
    leg.media.hearsKeys(digits.replaceAll(/w/gi, ''))
    then()
  })
}

function lengthOf(digits: string): number {
  let sum = 0
  for (const key of digits) sum += key === 'w' ? 500 : key === 'W' ? 1_000 : KEY
  return sum
}
