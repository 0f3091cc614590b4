import { limits } from './limits.ts'

interface Life {
  readonly round: number
  readyAt: number | undefined
}

/**
 * When lost workers of a role are replaced: at once, unless workers die young in a row. Then each round waits longer, so
 * that an agent that crashes as soon as it starts does not keep the machine busy.
 */
export class Replacements {
  /** No worker of the role is started before this time. */
  notBefore = 0
  /** Whether any worker of the role was ever ready. */
  everReady = false
  /** Young deaths in a row. Workers of one round that die together count once. */
  #deaths = 0
  #round = 0
  readonly #lives = new Map<string, Life>()

  spawned(worker: string): void {
    this.#lives.set(worker, { round: this.#round, readyAt: undefined })
  }

  ready(worker: string, now: number): void {
    const life = this.#lives.get(worker)
    if (life) life.readyAt = now
    this.everReady = true
  }

  /** A worker was lost. Returns how long its replacement has to wait. */
  lost(worker: string, now: number): { pause: number; deaths: number } {
    const life = this.#lives.get(worker)
    const grown = ({ round, readyAt }: Life): boolean =>
      round === this.#round && readyAt !== undefined && now - readyAt >= limits.young
    if ([...this.#lives.values()].some(grown)) this.#deaths = 0
    this.#lives.delete(worker)
    if (life?.round === this.#round && !grown(life)) {
      this.#round++
      this.#deaths++
      this.notBefore = now + this.#pause()
    }
    return { pause: Math.max(0, this.notBefore - now), deaths: this.#deaths }
  }

  /** A worker has done what it was started for: workers can live. */
  finished(worker: string): void {
    this.#lives.delete(worker)
    this.#deaths = 0
  }

  /** The next workers have another program: what happened to those before says nothing about them. */
  renew(): void {
    this.#deaths = 0
    this.#round++
    this.notBefore = 0
  }

  #pause(): number {
    return this.#deaths < 2 ? 0 : Math.min(limits.lastPause, limits.firstPause * 2 ** (this.#deaths - 2))
  }
}
