import type { Random } from '../scope/index.ts'

/** A seeded random generator: the same seed gives the same numbers on every machine. */
export class SimRandom implements Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#a = seed >>> 0
    this.#b = Math.floor(seed / 2 ** 32) >>> 0
    this.#c = 0x9e3779b9
    // Neighbouring seeds start with similar numbers. A dozen rounds separate them.
    for (let round = 0; round < 12; round++) this.next()
  }

  /** Returns a number from 0 up to but not including 1 (sfc32). */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return (sum >>> 0) / 2 ** 32
  }

  /** Returns an integer from `from` to `to`, inclusive. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.int(0, choices.length - 1)]
    if (choice === undefined) throw new RangeError('pick() needs something to choose from')
    return choice
  }

  /** Returns one of the names with a probability proportional to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    let sum = 0
    for (const name in weights) sum += weights[name]
    let left = this.next() * sum
    let last: Name | undefined
    for (const name in weights) {
      left -= weights[name]
      if (left < 0) return name
      last = name
    }
    return last!
  }
}
