import { EndwellError } from '../scope/index.ts'
import { Endings } from './endings.ts'

/**
 * What `explore` needs to know about a machine. A world is one state of the machine together with whatever surrounds it:
 * the time, requests without an answer, what a rule has to remember.
 */
export interface Model<World, Event> {
  /** Where every story begins. It is never changed. */
  readonly start: World
  /** Returns an independent copy. */
  readonly fork: (world: World) => World
  /**
   * Changes the world as the event does, and checks what the machine answers. Throws if that breaks a rule. The result is
   * printed in stories.
   */
  readonly handle: (world: World, event: Event) => unknown
  /**
   * Identifies the world: worlds with the same key must have the same future, and only one of them is explored. Leave out
   * what no rule depends on, and make times relative. `stateKeys` helps to
   * build such keys.
   */
  readonly key: (world: World) => string
  /** What may happen next, by name. Each returns its event, or undefined if it cannot happen in this world. */
  readonly moves: Readonly<Record<string, (world: World) => Event | undefined>>
  /** The moves that cannot fail to happen: time passes, timers fire, requests are answered. */
  readonly fair?: readonly string[]
  /** Checks a world in which nothing is in progress. Throws if it breaks a rule. */
  readonly check?: (world: World) => void
  /**
   * Whether the machine has yet to end in this world, for example because it is closing. Such a world must have a future
   * after a bounded number of fair moves in which it is no longer so, whatever else happens or does not happen.
   */
  readonly mustEnd?: (world: World) => boolean
}

export interface ExploreOptions {
  /** Explores no more states than this. Default: 1,000,000. */
  readonly maxStates?: number
  /** Explores no stories with more events than this. Default: no limit. */
  readonly maxDepth?: number
  /**
   * Also explores a second world of each state, and throws if the two differ in what may happen or in where it leads: then
   * `key` leaves out too much. Default: false, since it takes twice as long.
   */
  readonly strict?: boolean
}

/** What was explored. No rule was broken. */
export interface Exploration {
  /** Different states, and the steps between them. */
  readonly states: number
  readonly steps: number
  /** All stories with this many events were explored. */
  readonly depth: number
  /** Whether that is everything: no longer story reaches another state. */
  readonly complete: boolean
  /** The most fair moves before a world that must end has ended. Undefined if no world must end. */
  readonly endsWithin: number | undefined
}

/** An exploration found a story that breaks a rule. There is no shorter one. */
export class ExplorationError extends EndwellError {
  /** The names of the moves that lead there. */
  readonly moves: readonly string[]

  constructor(rule: string, story: string, moves: readonly string[], cause?: unknown) {
    super('VIOLATION', `${rule}\n\n${story}`, { cause })
    this.moves = moves
  }
}

/**
 * Explores every state that a pure machine can reach, breadth first, and checks all of them. Throws an `ExplorationError`
 * with the shortest story that breaks a rule.
 *
 * ```ts
 * const { states, complete } = explore({
 *   start: { isOpen: false },
 *   fork: (door) => ({ ...door }),
 *   handle: (door, isOpen) => void (door.isOpen = isOpen),
 *   key: ({ isOpen }) => String(isOpen),
 *   moves: { open: () => true, close: () => false },
 * })
 * ```
 */
export function explore<World, Event>(model: Model<World, Event>, options: ExploreOptions = {}): Exploration {
  return new Explorer(model, options).run()
}

class Explorer<World, Event> {
  readonly #model: Model<World, Event>
  readonly #maxStates: number
  readonly #maxDepth: number
  readonly #names: readonly string[]
  readonly #moves: readonly ((world: World) => Event | undefined)[]
  readonly #isFair: readonly boolean[]
  /** The states by key, numbered in the order in which they were found. */
  readonly #seen = new Map<string, number>()
  /** For each state, the state and the move by which it was found. */
  readonly #parents: number[] = []
  readonly #by: number[] = []
  readonly #endings = new Endings()
  /** In strict mode: where each move leads from each state, and a second world of the state. */
  readonly #leads: number[][] | undefined
  readonly #twins: (World | undefined)[] = []
  #frontier: World[] = []
  #steps = 0

  constructor(
    model: Model<World, Event>,
    { maxStates = 1_000_000, maxDepth = Infinity, strict }: ExploreOptions,
  ) {
    const { moves, fair = [] } = model
    this.#model = model
    this.#maxStates = maxStates
    this.#maxDepth = maxDepth
    this.#leads = strict ? [] : undefined
    this.#names = Object.keys(moves)
    this.#moves = Object.values(moves)
    const unknown = fair.find((name) => !(name in moves))
    if (unknown !== undefined)
      throw new RangeError(`explore: there is no move '${unknown}', which is to be fair`)
    this.#isFair = this.#names.map((name) => fair.includes(name))
  }

  run(): Exploration {
    const { start, key } = this.#model
    this.#reach(start, key(start), -1, -1)
    let expanded = 0
    let depth = 0
    while (this.#frontier.length > 0 && depth < this.#maxDepth) {
      const worlds = this.#frontier
      this.#frontier = []
      for (const world of worlds) if (this.#seen.size < this.#maxStates) this.#expand(world, expanded++)
      if (this.#seen.size >= this.#maxStates) break
      depth++
    }
    const complete = expanded === this.#seen.size
    if (this.#leads) this.#compareTwins(this.#leads)
    const { endsWithin, trap } = this.#endings.examine()
    if (trap) throw this.#failure(trap.why, trap.state, trap.cycle, 'again and again:')
    return { states: this.#seen.size, steps: this.#steps, depth, complete, endsWithin }
  }

  #expand(world: World, from: number): void {
    const { fork, handle, key } = this.#model
    for (let move = 0; move < this.#moves.length; move++) {
      const event = this.#moves[move]!(world)
      if (event === undefined) continue
      const child = fork(world)
      this.#steps++
      try {
        handle(child, event)
      } catch (error) {
        throw this.#failure(error, from, [move])
      }
      const childKey = key(child)
      const known = this.#seen.get(childKey)
      const to = known ?? this.#reach(child, childKey, from, move)
      if (this.#leads) {
        ;(this.#leads[from] ??= [])[move] = to
        if (known !== undefined) this.#twins[known] ??= child
      }
      this.#endings.step(from, to, move, this.#isFair[move]!)
    }
    this.#endings.expanded(from)
  }

  /** Notes a new state. Returns its number. */
  #reach(world: World, key: string, parent: number, by: number): number {
    const state = this.#seen.size
    this.#seen.set(key, state)
    this.#parents.push(parent)
    this.#by.push(by)
    try {
      this.#model.check?.(world)
    } catch (error) {
      throw this.#failure(error, state, [])
    }
    if (this.#model.mustEnd?.(world)) this.#endings.add(state)
    this.#frontier.push(world)
    return state
  }

  #compareTwins(leads: readonly number[][]): void {
    const { fork, handle, key } = this.#model
    for (const [state, twin] of this.#twins.entries()) {
      const known = leads[state]
      if (twin === undefined || known === undefined) continue
      for (const [move, next] of this.#moves.entries()) {
        const event = next(twin)
        const child = fork(twin)
        if (event !== undefined) handle(child, event)
        const to = event === undefined ? undefined : this.#seen.get(key(child))
        if (to === known[move]) continue
        throw this.#failure(`two worlds with this key differ after '${this.#names[move]}'`, state, [move])
      }
    }
  }

  // ── stories ──

  /** What happened until a state was reached, then `more` moves, with a heading. */
  #failure(why: unknown, state: number, more: readonly number[], heading?: string): ExplorationError {
    const path: number[] = []
    for (let at = state; this.#by[at]! >= 0; at = this.#parents[at]!) path.unshift(this.#by[at]!)
    const lines = this.#story([...path, ...more])
    if (heading !== undefined && more.length > 0) lines.splice(path.length, 0, `      ${heading}`)
    const rule = why instanceof Error ? why.message : String(why)
    const moves = [...path, ...more].map((move) => this.#names[move]!)
    return new ExplorationError(rule, lines.join('\n'), moves, why)
  }

  /** Lets the moves happen again, and returns a line for each, with what the machine answered. */
  #story(path: readonly number[]): string[] {
    const { start, fork, handle } = this.#model
    const world = fork(start)
    const width = Math.max(0, ...path.map((move) => this.#names[move]!.length))
    return path.map((move, index) => {
      let said: string
      try {
        said = textOf(handle(world, this.#moves[move]!(world)!))
      } catch {
        said = '✗'
      }
      return `${String(index + 1).padStart(4)}  ${this.#names[move]!.padEnd(width)}  ${said}`.trimEnd()
    })
  }
}

/** What a machine answered, as text. */
function textOf(said: unknown): string {
  if (said === undefined || said === null) return ''
  if (Array.isArray(said)) return said.map(textOf).join(', ')
  if (typeof said !== 'object') return plain(said)
  return Object.values(said).map(plain).join(' ')
}

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none')
