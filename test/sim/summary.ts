import { exitCodes } from '../../src/cli/command.ts'
import { combined, type Failure, type Lived } from './lives.ts'
import type { WorldName } from './world-names.ts'

/** Failing seeds that the summary names. */
const NAMED = 100

/** Prints failing lives as they come, and in the end one line about all lives. */
export class Summary {
  readonly #world: WorldName
  readonly #json: boolean
  readonly #began = performance.now()
  #lives = 0
  #events = 0
  #violations = 0
  #cpu = 0
  #hash = '0'
  readonly #failing: number[] = []

  constructor(world: WorldName, json: boolean) {
    this.#world = world
    this.#json = json
  }

  get lives(): number {
    return this.#lives
  }

  get failing(): readonly number[] {
    return this.#failing.toSorted((a, b) => a - b).slice(0, NAMED)
  }

  /** Lives per second of CPU time. */
  get perCpuSecond(): number {
    return Math.round(this.#lives / this.#cpu)
  }

  add({ lives, events, failures, cpu, hash }: Lived): void {
    this.#lives += lives
    this.#events += events
    this.#cpu += cpu
    this.#hash = combined(this.#hash, hash)
    for (const failure of failures) this.#addFailure(failure)
  }

  #addFailure(failure: Failure): void {
    const { seed, hash, violations, story } = failure
    this.#violations += violations.length
    this.#failing.push(seed)
    if (this.#json) console.log(JSON.stringify({ seed, hash, violations }))
    else if (story !== '' && this.#failing.length <= 3) console.log(failureText(this.#world, failure))
  }

  /** Prints the last line. Returns the exit code. */
  print(jobs: number): number {
    const seconds = (performance.now() - this.#began) / 1_000
    const { perCpuSecond, failing } = this
    const world = this.#world
    const events = this.#events
    const violations = this.#violations
    const hash = this.#hash === '0' ? undefined : this.#hash
    const perSecond = Math.round(this.#lives / seconds)
    if (this.#json) {
      const seeds = this.#lives
      console.log(
        JSON.stringify({ world, seeds, violations, failing, events, hash, perSecond, perCpuSecond, jobs }),
      )
    } else
      console.log(
        `${this.#lives} lives of world '${world}', ${events} events, ${violations} violations, ` +
          (hash === undefined ? '' : `hash ${hash}, `) +
          `${perSecond} lives per second, ${perCpuSecond} per second of CPU time`,
      )
    return violations === 0 ? exitCodes.ok : exitCodes.failed
  }
}

function failureText(world: WorldName, { seed, story, violations }: Failure): string {
  return [
    `seed ${seed} breaks ${[...new Set(violations.map(({ rule }) => rule))].join(', ')}`,
    '',
    story,
    '',
    ...violations.map(({ rule, what }) => `✗ ${rule}: ${what}`),
    '',
    `replay:   npm run sim -- --world ${world} --from ${seed} --seeds 1 --story`,
    `remember: add the line "${world} ${seed}" to test/sim/regressions.txt`,
    '',
  ].join('\n')
}
