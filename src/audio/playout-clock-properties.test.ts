import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PlayoutClock, type PlayoutStretch } from './index.ts'

describe('in every sequence of events', () => {
  const wild = fc.oneof(fc.constantFrom(NaN, -1, Infinity, -Infinity), fc.integer({ min: 0, max: 3_000 }))
  const passes = fc.oneof(fc.constantFrom(0, 0, 1e7, -50, NaN), fc.integer({ min: 0, max: 400 }))
  const event = fc.record({
    what: fc.constantFrom('play', 'play', 'play', 'mark', 'marked', 'clear', 'begin', 'ask'),
    ms: wild,
    heard: fc.option(wild, { nil: undefined }),
    passes,
    pick: fc.nat(),
  })
  const life = fc.array(event, { maxLength: 60 })

  /** Plays the events, and calls `check` after each with all stretches and the time. */
  function live(
    events: readonly (typeof event extends fc.Arbitrary<infer E> ? E : never)[],
    check: (stretches: readonly PlayoutStretch[], now: number, what: string, playout: PlayoutClock) => void,
  ): void {
    const playout = new PlayoutClock()
    const stretches = [playout.begin()]
    const marks: number[] = []
    let now = 1_000
    for (const { what, ms, heard, passes: by, pick } of events) {
      const time = now + by
      if (what === 'begin') stretches.push(playout.begin())
      if (what === 'play') playout.play(ms, time)
      if (what === 'mark') marks.push(playout.mark(time))
      if (what === 'marked') playout.marked(marks[pick % (marks.length + 1)] ?? 77_777, heard, time)
      if (what === 'clear') playout.clear(time)
      if (time > now) now = time
      check(stretches, time, what, playout)
    }
  }

  it('no stretch was heard more than it was sent, or less than zero', () => {
    fc.assert(
      fc.property(life, (events) =>
        live(events, (stretches, now) => {
          for (const stretch of stretches) {
            const { ms } = stretch.heard(now)
            expect(ms).toBeGreaterThanOrEqual(0)
            expect(ms).toBeLessThanOrEqual(stretch.sent)
          }
        }),
      ),
    )
  })

  it('what was heard decreases only when a mark corrects it', () => {
    fc.assert(
      fc.property(life, (events) => {
        const before = new Map<PlayoutStretch, number>()
        live(events, (stretches, now, what) => {
          for (const stretch of stretches) {
            const { ms } = stretch.heard(now)
            if (what !== 'marked') expect(ms).toBeGreaterThanOrEqual(before.get(stretch) ?? 0)
            before.set(stretch, ms)
          }
        })
      }),
    )
  })

  it('what is known does not change while nothing more is played', () => {
    fc.assert(
      fc.property(life, (events) => {
        const sure = new Map<PlayoutStretch, { ms: number; sent: number }>()
        live(events, (stretches, now, what) => {
          for (const stretch of stretches) {
            const { ms, known: isKnown } = stretch.heard(now)
            const { sent } = stretch
            const was = sure.get(stretch)
            // Only a mark that was overtaken may still correct what the later mark implied.
            if (was && was.sent === sent && what !== 'marked') {
              expect({ ms, isKnown }).toEqual({ ms: was.ms, isKnown: true })
            }
            if (isKnown) sure.set(stretch, { ms, sent })
          }
        })
      }),
    )
  })

  it('the stretches add up to everything that was sent, and their ends match the time', () => {
    fc.assert(
      fc.property(life, (events) =>
        live(events, (stretches, now, _, playout) => {
          const sent = stretches.reduce((sum, stretch) => sum + stretch.sent, 0)
          expect(sent).toBe(playout.sent)
          const { endsAt } = playout
          if (endsAt === undefined) return
          for (const stretch of stretches) {
            const { ms } = stretch.heard(now)
            expect(Number.isFinite(ms)).toBe(true)
            if (stretch.sent > 0) expect(Number.isFinite(stretch.endsAt)).toBe(true)
          }
        }),
      ),
    )
  })

  it('a well-behaved line is known to the millisecond, with marks and clears', () => {
    const step = fc.record({
      what: fc.constantFrom('play', 'play', 'mark', 'clear', 'begin'),
      ms: fc.integer({ min: 1, max: 500 }),
      passes: fc.integer({ min: 0, max: 300 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const playout = new PlayoutClock()
        // The line, millisecond by millisecond: the stretch that sounds, or the mark at this position.
        let queue: (PlayoutStretch | { readonly mark: number })[] = []
        const truth = new Map<PlayoutStretch, number>()
        let sinceMark = 0
        let now = 0
        let stretch = playout.begin()
        const all = [stretch]
        const returnMarks = (everything: boolean): void => {
          const rest: typeof queue = []
          for (const item of queue) {
            if ('mark' in item && (everything || rest.length === 0)) {
              playout.marked(item.mark, sinceMark, now)
              sinceMark = 0
            } else rest.push(item)
          }
          queue = everything ? [] : rest
        }
        for (const { what, ms, passes: by } of steps) {
          for (let i = 0; i < by; i++) {
            now++
            const heard = queue.shift()
            if (heard && !('mark' in heard)) {
              truth.set(heard, (truth.get(heard) ?? 0) + 1)
              sinceMark++
            }
            returnMarks(false)
          }
          if (what === 'begin') all.push((stretch = playout.begin()))
          if (what === 'play') {
            playout.play(ms, now)
            for (let i = 0; i < ms; i++) queue.push(stretch)
          }
          if (what === 'mark') {
            queue.push({ mark: playout.mark(now) })
            returnMarks(false)
          }
          if (what === 'clear') {
            playout.clear(now)
            returnMarks(true)
          }
          for (const each of all) expect(each.heard(now).ms).toBe(truth.get(each) ?? 0)
        }
      }),
    )
  })
})
