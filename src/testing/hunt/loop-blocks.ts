import { timeText } from '../../report/index.ts'
import type { CallRecord } from './call-record.ts'
import type { CodeLine } from './finding.ts'
import { Gathered } from './findings.ts'
import type { HuntCase } from './hunt-case.ts'
import type { HuntWorld } from './hunt-world.ts'
import { HuntedCall } from './hunted-call.ts'
import { limits } from './limits.ts'
import { profile, type Busiest } from './profile.ts'

/** How often a call that blocked the event loop is replayed. A busy machine delays one of them, not all. */
const REPLAYS = 3

/** How many conversations are looked at: those with the longest blocks. */
const LOOKS = 6

/** The longest blocks of the event loop, by conversation. Whether the agent or the machine is to blame shows in replays. */
export class LoopBlocks {
  readonly #longest = new Map<
    string,
    { readonly one: HuntCase; readonly ms: number; readonly times: number }
  >()

  add({ case: one, longestBlock: ms }: CallRecord): void {
    if (ms < limits.block) return
    const { name } = one.conversation
    const known = this.#longest.get(name) ?? { one, ms, times: 0 }
    this.#longest.set(name, { ...(ms > known.ms ? { one, ms } : known), times: known.times + 1 })
  }

  /** Replays the calls with the longest blocks, and names the functions of the agent that take the time. */
  async find(world: HuntWorld, onReplay: (one: number) => void): Promise<Gathered[]> {
    const found = new Map<string, Gathered>()
    const longest = [...this.#longest.values()].toSorted((one, other) => other.ms - one.ms).slice(0, LOOKS)
    for (const { one, times } of longest) {
      onReplay(one.number)
      const again = await blocksAgain(one, world)
      if (!again) continue
      const { record, busiest } = again
      const where = nameOf(busiest.line)
      const what = `nothing else in the process could run for ${timeText(Math.round(busiest.ms))}`
      const gathered = found.get(where) ?? new Gathered(record, { kind: 'blocked-loop', where, what })
      gathered.line = busiest.line
      gathered.times = Math.max(gathered.times, times)
      found.set(where, gathered)
    }
    return [...found.values()]
  }
}

async function blocksAgain(
  one: HuntCase,
  world: HuntWorld,
): Promise<{ readonly record: CallRecord; readonly busiest: Busiest } | undefined> {
  let shortest: { readonly record: CallRecord; readonly busiest: Busiest } | undefined
  for (let replay = 0; replay < REPLAYS; replay++) {
    const { value: record, busiest } = await profile(() => new HuntedCall(one, world).play())
    if (record.longestBlock < limits.block || !busiest || busiest.ms < limits.block) return undefined
    if (!shortest || busiest.ms < shortest.busiest.ms) shortest = { record, busiest }
  }
  return shortest
}

function nameOf({ function: name, file, line }: CodeLine): string {
  return name === undefined ? `the code at ${file}:${line}` : `the function '${name}' at ${file}:${line}`
}
