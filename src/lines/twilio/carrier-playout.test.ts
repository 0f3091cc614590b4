import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AudioFrame, type HeardMark } from '../../audio/index.ts'
import { limits as shared } from '../limits.ts'
import { CarrierPlayout } from './carrier-playout.ts'
import { limits } from './limits.ts'

const PER_MS = 8
const sound = (ms: number): AudioFrame => ({ samples: new Int16Array(ms * PER_MS), sampleRate: 8_000 })

/** A carrier that plays in real time, a millisecond at a time, behind a network with a delay. */
class Carrier {
  now = 0
  /** Milliseconds that were heard in total. */
  heard = 0
  readonly playout = new CarrierPlayout()
  readonly answers: HeardMark[] = []
  readonly #delay: number
  /** Messages on their way, in both directions. */
  #out: { readonly at: number; readonly does: () => void }[] = []
  #queue: ({ readonly ms: number } | { readonly name: string })[] = []
  most = 0

  constructor(delay: number) {
    this.#delay = delay
  }

  send(): void {
    for (let next = this.playout.next(this.now); next; next = this.playout.next(this.now)) {
      const item = 'samples' in next ? { ms: next.samples.length / PER_MS } : { name: next.mark }
      this.#later(() => this.#queue.push(item))
    }
  }

  clear(): void {
    const cleared = this.playout.clear(this.now)
    this.#later(() => {
      for (const item of this.#queue.splice(0)) if ('name' in item) this.#return(item.name)
      if ('mark' in cleared) this.#return(cleared.mark)
    })
  }

  /** A new stream starts, with nothing in it. */
  rejoins(): void {
    this.#out = []
    this.#queue = []
    this.answers.push(...this.playout.restart())
    this.send()
  }

  elapse(ms: number): void {
    for (let left = ms; left > 0; left--) {
      this.now++
      const due = this.#out.filter(({ at }) => at <= this.now)
      this.#out = this.#out.filter(({ at }) => at > this.now)
      for (const { does } of due) does()
      this.#play(1)
      this.most = Math.max(
        this.most,
        this.#queue.reduce((sum, item) => sum + ('ms' in item ? item.ms : 0), 0),
      )
      if (this.now % limits.resendEvery === 0) this.send()
    }
  }

  #play(left: number): void {
    for (let more = left; ;) {
      const item = this.#queue[0]
      if (!item) return
      if ('name' in item) this.#return(item.name)
      else {
        if (more <= 0) return
        const played = Math.min(more, item.ms)
        this.heard += played
        more -= played
        if (item.ms > played) {
          this.#queue[0] = { ms: item.ms - played }
          return
        }
      }
      this.#queue.shift()
    }
  }

  #return(name: string): void {
    this.#later(() => this.answers.push(...this.playout.returned(name, this.now)))
  }

  #later(does: () => void): void {
    this.#out.push({ at: this.now + this.#delay, does })
  }
}

interface Step {
  readonly do: 'play' | 'mark' | 'clear' | 'wait' | 'rejoin'
  readonly ms: number
}

describe('playout through a carrier', () => {
  it('[LN3] knows to the millisecond what was heard, when marks come back', () => {
    const carrier = new Carrier(80)
    carrier.playout.play(sound(1_000), 0)
    carrier.playout.mark(1)
    carrier.playout.play(sound(500), 0)
    carrier.playout.mark(2)
    carrier.playout.mark(3)
    carrier.send()
    carrier.elapse(1_100)
    expect(carrier.answers).toEqual([])
    carrier.elapse(1_000)
    expect(carrier.answers).toEqual([
      { id: 1, heard: 1_000 },
      { id: 2, heard: 500 },
      { id: 3, heard: 0 },
    ])
  })

  it.each([0, 20, 300])(
    '[LN3] knows where the sound stopped after a clear, with a network delay of %i ms',
    (delay) => {
      for (const when of [50, 150, 333, 700, 1_234]) {
        const carrier = new Carrier(delay)
        carrier.playout.play(sound(2_000), 0)
        carrier.playout.mark(1)
        carrier.send()
        carrier.elapse(when)
        carrier.clear()
        carrier.elapse(2_000)
        const [answer] = carrier.answers
        expect(answer?.id).toBe(1)
        expect(Math.abs(answer!.heard - carrier.heard), `cleared after ${when} ms`).toBeLessThanOrEqual(2)
      }
    },
  )

  it('sends only so far ahead, however much is queued', () => {
    const carrier = new Carrier(30)
    carrier.playout.play(sound(60_000), 0)
    carrier.send()
    carrier.elapse(30_000)
    expect(carrier.most).toBeLessThanOrEqual(limits.ahead + limits.piece)
    expect(carrier.heard).toBeGreaterThan(29_900)
  })

  it('sends sound again to a new stream, from the last position known to have been heard', () => {
    const carrier = new Carrier(20)
    carrier.playout.play(sound(2_000), 0)
    carrier.playout.mark(1)
    carrier.send()
    carrier.elapse(1_000)
    carrier.rejoins()
    carrier.elapse(3_000)
    expect(carrier.answers).toEqual([{ id: 1, heard: 2_000 }])
    expect(carrier.heard).toBeGreaterThanOrEqual(2_000)
    expect(carrier.heard).toBeLessThanOrEqual(2_000 + limits.step + 50)
  })

  it('keeps a bounded amount of sound, also if no mark ever comes back', () => {
    const playout = new CarrierPlayout()
    let now = 0
    for (let minutes = 0; minutes < 30; minutes++) {
      for (let i = 0; i < 600; i++) {
        assert.ok(playout.play(sound(100), now))
        while (playout.next(now)) now += 0
        now += 100
      }
    }
    expect(playout.play(sound(shared.queued + limits.doubt + 1_000), now)).toBe(false)
    expect(playout.giveUp()).toEqual([])
  })

  it('[LN3] settles every mark once, in order, and claims no more than was heard', () => {
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.record({ do: fc.constant('play' as const), ms: fc.integer({ min: 0, max: 900 }) }),
      fc.record({ do: fc.constant('mark' as const), ms: fc.constant(0) }),
      fc.record({ do: fc.constant('clear' as const), ms: fc.constant(0) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 1_200 }) }),
      fc.record({ do: fc.constant('rejoin' as const), ms: fc.constant(0) }),
    )
    const did = (what: Step['do'], ms = 0): Step => ({ do: what, ms })
    // Sound that started after a silence, and was cleared before the mark from before the silence came back.
    const found: [Step[], number][] = [
      [[did('mark'), did('wait', 3), did('play', 3), did('clear')], 2],
      [[did('play', 201), did('wait', 419), did('play', 3), did('clear')], 110],
    ]
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.integer({ min: 0, max: 200 }), (steps, delay) => {
        const carrier = new Carrier(delay)
        let marks = 0
        for (const { do: what, ms } of steps) {
          if (what === 'play') carrier.playout.play(sound(ms), carrier.now)
          if (what === 'mark') carrier.playout.mark(++marks)
          if (what === 'clear') carrier.clear()
          if (what === 'rejoin') carrier.rejoins()
          if (what === 'wait') carrier.elapse(ms)
          carrier.send()
        }
        carrier.playout.mark(++marks)
        carrier.send()
        carrier.elapse(30_000)
        expect(carrier.answers.map(({ id }) => id)).toEqual(Array.from({ length: marks }, (_, i) => i + 1))
        const claimed = carrier.answers.reduce((sum, { heard }) => sum + heard, 0)
        // Each clear may add a millisecond of rounding, in which the carrier is ahead of the clock.
        const clears = steps.filter((each) => each.do === 'clear').length
        expect(claimed).toBeLessThanOrEqual(carrier.heard + 2 * clears)
      }),
      { numRuns: 200, examples: found },
    )
  })
})
