import { checkCall } from './check-call.ts'
import { keyOf, type Gathered } from './findings.ts'
import type { HuntWorld } from './hunt-world.ts'
import { HuntedCall } from './hunted-call.ts'
import { limits } from './limits.ts'
import { realNow } from './virtual-globals.ts'

/**
 * Replays the smallest case of each finding, with more patience for work that cannot be seen, and finds the line of code. A
 * finding that does not happen again becomes a warning. It is dropped if the function waits for something real, which was not
 * awaited long enough.
 */
export async function confirmFindings(
  all: readonly Gathered[],
  world: HuntWorld,
  onReplay: (one: number) => void,
): Promise<Gathered[]> {
  const confirmed: Gathered[] = []
  const until = realNow() + limits.confirming
  for (const gathered of all) {
    if (realNow() > until) {
      confirmed.push(gathered)
      continue
    }
    onReplay(gathered.smallest.record.case.number)
    gathered.isConfirmed = await happensAgain(gathered, world)
    if (gathered.isConfirmed || !world.real.known.has(gathered.smallest.found.where)) confirmed.push(gathered)
  }
  return confirmed
}

async function happensAgain(gathered: Gathered, world: HuntWorld): Promise<boolean> {
  const options = { traced: true, patient: true }
  const record = await new HuntedCall(gathered.smallest.record.case, world, options).play()
  const again = checkCall(record).find((found) => keyOf(found) === gathered.key)
  if (again) gathered.confirm(record, again)
  return again !== undefined
}
