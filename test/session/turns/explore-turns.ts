import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import { RuleViolation } from './turn-checker.ts'
import { always, moves, type MoveName } from './turn-moves.ts'
import { TurnWorld } from './turn-world.ts'

/** Counts above two are equivalent: no more words than that can be pending. */
const few = (count: number): number => Math.min(2, count)

/** Longer ago than any delay in the options below. */
const oldest = -4

/**
 * Worlds with the same key have the same future. The key has relative times only, treats old times as equal, and leaves
 * out what the machine will not look at again.
 */
function keyOf({ options, state, checker: { seen }, now }: TurnWorld): string {
  const ago = (time: number | undefined, least = oldest): number | undefined =>
    time === undefined ? undefined : Math.max(least, time - now)
  const { voice, turn, held, agent, staleTextUntil, digits } = state
  const { sound } = agent
  const learns = options.endpointing?.mode === 'dynamic'
  const hears = options.mode === 'realtime' || options.wordless === true
  const watchesText = options.preemptive !== undefined || options.vad === false
  return JSON.stringify([
    [state.ending, state.bargeInWhileEnding, state.user, state.preempted, state.averagePause],
    held && [held.text, held.from, held.weak],
    [
      staleTextUntil !== undefined && staleTextUntil >= now && staleTextUntil - now,
      learns && ago(state.lastStopped),
    ],
    [
      digits,
      digits !== '' && ago(state.digitAt),
      ago(state.filledAt),
      ago(state.quietSince),
      state.idleReported,
    ],
    voice && [ago(voice.since, sound ? -3 : -1), voice.committed, voice.pausedInVain],
    turn && [turn.said, turn.interim, turn.awaiting, turn.voiced],
    turn && [(!voice || learns) && ago(turn.stopped), watchesText && ago(turn.changed), ago(turn.ended)],
    turn && [turn.byHand, turn.asked, turn.score, turn.preempts],
    [agent.thinking, agent.tool],
    sound && [ago(sound.since, voice ? -3 : -2), ago(sound.paused), sound.interruptible, sound.interrupted],
    Object.values(state.timers).map((due) => ago(due)),
    [seen.ending, seen.bargeIn, seen.speaking, seen.discarded, options.idle !== undefined && seen.active],
    [
      hears || few(seen.words),
      seen.typed,
      seen.keys,
      options.mode === 'manual' && !options.wordless && few(seen.handCommits),
    ],
    [seen.thinking, seen.sound, seen.paused, seen.tool, seen.preempt, seen.user],
  ])
}

export interface Found {
  readonly states: number
  readonly steps: number
  readonly depth: number
  /** Whether all reachable states were found. */
  readonly all: boolean
}

/** Explores breadth first, so that a violation is reported with the shortest path to it. */
export function explore(options: TurnOptions, alphabet: readonly MoveName[], maxStates = 50_000): Found {
  const parents = new Map<string, readonly [parent: string, move: string]>()
  const root = new TurnWorld(options)
  root.handle({ type: 'live', at: 0 })
  let frontier: (readonly [TurnWorld, string])[] = [[root, keyOf(root)]]
  parents.set(frontier[0]?.[1] ?? '', ['', ''])
  const names = [...new Set([...alphabet, ...always])]
  let steps = 0
  let depth = 0
  for (; frontier.length > 0 && parents.size < maxStates; depth++) {
    const next: (readonly [TurnWorld, string])[] = []
    for (const [world, parent] of frontier) {
      const step = (move: string, change: (child: TurnWorld) => void): void => {
        const child = world.fork()
        try {
          change(child)
          steps++
          const key = keyOf(child)
          if (parents.has(key)) return
          parents.set(key, [parent, move])
          child.check()
          next.push([child, key])
        } catch (error) {
          if (!(error instanceof RuleViolation)) throw error
          throw new Error(`${error.message}: ${[...pathTo(parents, parent), move].join(' · ')}`, {
            cause: error,
          })
        }
      }
      for (const name of names) {
        const event = moves[name](world)
        if (event) step(name, (child) => void child.handle(event))
      }
      // A timer may be late, but by less than one unit of time.
      const due = world.due()
      if (!due || due[1] > world.now) step('wait', (child) => void (child.now += 1))
    }
    frontier = next
  }
  return { states: parents.size, steps, depth, all: frontier.length === 0 }
}

function pathTo(parents: ReadonlyMap<string, readonly [string, string]>, key: string): string[] {
  const path: string[] = []
  for (let at = parents.get(key); at && at[1] !== ''; at = parents.get(at[0])) path.unshift(at[1])
  return path
}
