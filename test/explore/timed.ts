/** What surrounds a machine with timers: the time, in units of which delays have a few, and the timers that it has set. */
export interface Timed {
  now: number
  readonly timers: Map<string, number>
}

/** A rule of the machine. Throws if it is broken. */
export function rule(holds: boolean, broken: string): asserts holds {
  if (!holds) throw new Error(broken)
}

/** Sets or clears a timer, if that is what the command says. */
export function noteTimer(
  { timers }: Timed,
  command: { readonly type: string; readonly timer?: string; readonly at?: number },
): void {
  if (command.type === 'set-timer') timers.set(command.timer!, command.at!)
  if (command.type === 'clear-timer') timers.delete(command.timer!)
}

/** The timer that fires next, and when. Of several that are due at once, the first by name. */
export function nextTimer({ timers }: Timed): readonly [timer: string, due: number] | undefined {
  let next: [string, number] | undefined
  for (const [timer, due] of timers)
    if (!next || due < next[1] || (due === next[1] && isBefore(timer, next[0]))) next = [timer, due]
  return next
}

/** Numbers at the end of names are in their own order. */
const isBefore = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : one.length < other.length

/** Whether a timer is due now. Time does not pass until it has fired. */
export const isDue = (world: Timed): boolean => (nextTimer(world)?.[1] ?? Infinity) <= world.now

/** A timer in a key: how long until it fires. */
export const left = ({ timers, now }: Timed, timer: string): number | undefined => {
  const due = timers.get(timer)
  return due === undefined ? undefined : Math.max(0, due - now)
}

/** An independent copy of plain data. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf) as T
  if (value instanceof Map) return new Map([...value].map(([key, part]) => [key, copyOf(part)])) as T
  const copy: Record<string, unknown> = {}
  for (const key in value) copy[key] = copyOf(value[key])
  return copy as T
}
