import type { SimClock } from '../../src/testing/index.ts'
import { assumed } from './costs.ts'

interface Request {
  readonly cpu: number
  readonly commits: boolean
  readonly run: () => void
}

/** The figures of a store over a time. */
export interface StoreFigures {
  readonly perSecond: number
  /** The most requests in one second. */
  readonly peak: number
  /** How much of its cores was busy. */
  readonly busy: number
  /** Milliseconds from a request to its answer. */
  readonly p50: number
  readonly p99: number
}

/**
 * A model of a database: some cores, a queue in front of them, and one disk, on which all commits that wait share a flush.
 * It can be away for a while.
 */
export class ScaleStore {
  readonly #clock: SimClock
  readonly #cores: number
  #queue: Request[] = []
  #head = 0
  #running = 0
  #flushing = false
  #committing: (() => void)[] = []
  #away: 'no' | 'hangs' | 'refuses' = 'no'
  // figures
  #since = 0
  #busy = 0
  #seconds = new Map<number, number>()
  #latencies: number[] = []

  constructor(clock: SimClock, cores: number) {
    this.#clock = clock
    this.#cores = cores
  }

  /** The database fails over: first nothing answers, then connections are refused, and then it is back, without its queue. */
  fail(ms: number): void {
    this.#away = 'hangs'
    this.#queue = []
    this.#head = 0
    this.#committing = []
    this.#clock.happen(Math.min(5_000, ms), 'connections are refused', () => (this.#away = 'refuses'))
    this.#clock.happen(ms, 'the store is back', () => (this.#away = 'no'))
  }

  /** Takes its turn, and resolves with the answer. `weight`: how many requests it stands for. */
  request<T>(cpu: number, commits: boolean, work: () => T, weight = 1): Promise<T> {
    const began = this.#clock.now()
    return new Promise<T>((resolve, reject) => {
      if (this.#away === 'hangs') return
      if (this.#away === 'refuses') {
        this.#clock.happen(assumed.network, 'refused', () => reject(new Error('the store is away')))
        return
      }
      const second = Math.floor(began / 1_000)
      this.#seconds.set(second, (this.#seconds.get(second) ?? 0) + weight)
      let answer: T
      const answered = (): void => {
        this.#clock.happen(assumed.network, 'answer', () => {
          if (this.#latencies.length < 2_000_000) this.#latencies.push(this.#clock.now() - began)
          resolve(answer)
        })
      }
      const run = (): void => {
        answer = work()
        if (commits) this.#commit(answered)
        else answered()
      }
      this.#queue.push({ cpu, commits, run })
      this.#next()
    })
  }

  #next(): void {
    while (this.#running < this.#cores && this.#head < this.#queue.length) {
      const request = this.#queue[this.#head++]!
      if (this.#head > 10_000) {
        this.#queue = this.#queue.slice(this.#head)
        this.#head = 0
      }
      this.#running++
      this.#clock.happen(request.cpu, 'served', () => {
        this.#running--
        this.#busy += request.cpu
        if (this.#away === 'no') request.run()
        this.#next()
      })
    }
  }

  #commit(done: () => void): void {
    this.#committing.push(done)
    if (this.#flushing) return
    this.#flushing = true
    const flush = (): void => {
      const batch = this.#committing.splice(0)
      this.#clock.happen(assumed.flush, 'flushed', () => {
        for (const each of batch) if (this.#away === 'no') each()
        if (this.#committing.length > 0) flush()
        else this.#flushing = false
      })
    }
    flush()
  }

  /** The figures since they were last read. */
  read(): StoreFigures {
    const now = this.#clock.now()
    const ms = Math.max(1, now - this.#since)
    const sorted = Float64Array.from(this.#latencies).toSorted()
    const counts = [...this.#seconds]
      .filter(([second]) => second * 1_000 >= this.#since)
      .map(([, count]) => count)
    const figures = {
      perSecond: Math.round((counts.reduce((sum, count) => sum + count, 0) / ms) * 1_000),
      peak: Math.round(counts.reduce((most, count) => Math.max(most, count), 0)),
      busy: this.#busy / ms / this.#cores,
      p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
      p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    }
    this.#since = now
    this.#busy = 0
    this.#latencies = []
    this.#seconds = new Map()
    return figures
  }
}
