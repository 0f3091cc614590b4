import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PlayoutClock, type PlayoutStretch } from './index.ts'

const known = (ms: number) => ({ ms, known: true })
const assumed = (ms: number) => ({ ms, known: false })

describe('what is heard by the time that passes', () => {
  it('is assumed to be heard in real time from the moment it was queued', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    expect(speech.heard(900)).toEqual(known(0))
    expect(playout.play(300, 1_000)).toBe(1_000)
    expect(speech.heard(1_000)).toEqual(assumed(0))
    expect(playout.play(200, 1_010)).toBe(1_300)
    expect(speech.heard(1_120)).toEqual(assumed(120))
    expect(speech.heard(1_499)).toEqual(assumed(499))
    expect(speech.heard(9_999)).toEqual(assumed(500))
    expect(speech.sent).toBe(500)
    expect(speech.endsAt).toBe(1_500)
    expect(playout.endsAt).toBe(1_500)
  })

  it('pauses while the queue is dry', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(100, 0)
    expect(playout.play(100, 250)).toBe(250)
    expect(speech.heard(249)).toEqual(assumed(100))
    expect(speech.heard(300)).toEqual(assumed(150))
    expect(speech.endsAt).toBe(350)
  })

  it('is counted for each stretch alone, whoever asks and when', () => {
    const playout = new PlayoutClock()
    const first = playout.begin()
    playout.play(100, 0)
    const second = playout.begin()
    playout.play(100, 0)
    expect(first.endsAt).toBe(100)
    expect([first.heard(150), second.heard(150)]).toEqual([assumed(100), assumed(50)])
    expect(playout.sent).toBe(200)
  })

  it('nothing played is nothing heard, and known to be', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    expect(speech.heard(5)).toEqual(known(0))
    expect([speech.endsAt, playout.endsAt]).toEqual([undefined, undefined])
    playout.clear(10)
    expect([speech.endsAt, playout.endsAt]).toEqual([undefined, undefined])
  })

  it.each([NaN, -20, 0, Infinity])('sound of %s ms is none', (ms) => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(ms, 0)
    expect([speech.sent, playout.sent, speech.endsAt]).toEqual([0, 0, undefined])
    expect(speech.heard(10)).toEqual(known(0))
  })

  it('time that goes backwards, or is none, stands still', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(500, 1_000)
    expect(speech.heard(1_200)).toEqual(assumed(200))
    for (const now of [1_100, -5, NaN, Infinity, -Infinity]) expect(speech.heard(now)).toEqual(assumed(200))
    playout.clear(NaN)
    expect(speech.heard(1_300)).toEqual(assumed(200))
  })

  it('an expected end is not moved by what is played later', () => {
    const playout = new PlayoutClock()
    const first = playout.begin()
    playout.play(100, 0)
    playout.begin()
    for (const now of [1_000, 2_000, 3_000]) playout.play(100, now)
    expect(first.endsAt).toBe(100)
    expect(playout.endsAt).toBe(3_100)
  })
})

describe('a mark', () => {
  it('makes what was before it known', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(100, 0)
    const id = playout.mark(0)
    expect(speech.heard(100)).toEqual(assumed(100))
    expect(playout.marked(id, undefined, 130)).toBe(true)
    expect(speech.heard(130)).toEqual(known(100))
    expect(speech.endsAt).toBe(130)
  })

  it('that comes late or early moves what is queued behind it', () => {
    const playout = new PlayoutClock()
    playout.play(100, 0)
    const first = playout.mark(0)
    const behind = playout.begin()
    playout.play(100, 0)
    const second = playout.mark(0)
    const last = playout.begin()
    playout.play(100, 0)
    expect(behind.heard(180)).toEqual(assumed(80))
    playout.marked(first, undefined, 180)
    expect(behind.heard(180)).toEqual(assumed(0))
    expect([behind.endsAt, last.endsAt, playout.endsAt]).toEqual([280, 380, 380])
    playout.marked(second, undefined, 200)
    expect([behind.heard(200), last.heard(230)]).toEqual([known(100), assumed(30)])
    expect([last.endsAt, playout.endsAt]).toEqual([300, 300])
  })

  it('that comes after the queue ran dry moves what was queued since', () => {
    const playout = new PlayoutClock()
    playout.play(100, 0)
    const first = playout.mark(0)
    const middle = playout.begin()
    playout.play(50, 0)
    const last = playout.begin()
    playout.play(100, 200)
    playout.marked(first, undefined, 220)
    expect([middle.heard(240), last.heard(240)]).toEqual([assumed(20), assumed(0)])
    expect([middle.endsAt, last.endsAt]).toEqual([270, 370])
    expect([middle.heard(280), last.heard(280)]).toEqual([assumed(50), assumed(10)])
  })

  it('tells how much of the sound since the mark before was heard', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(100, 0)
    const first = playout.mark(0)
    playout.play(100, 0)
    const second = playout.mark(0)
    playout.marked(first, 90, 100)
    expect(speech.heard(100)).toEqual(assumed(90))
    playout.marked(second, 60, 210)
    expect(speech.heard(210)).toEqual(known(150))
    expect(speech.endsAt).toBe(210)
  })

  it('tells also that nothing was heard', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(100, 0)
    playout.marked(playout.mark(0), 0, 100)
    expect(speech.heard(100)).toEqual(known(0))
  })

  it('before the first sound tells when that begins', () => {
    const playout = new PlayoutClock()
    const id = playout.mark(0)
    const speech = playout.begin()
    playout.play(100, 0)
    playout.marked(id, undefined, 80)
    expect(speech.heard(100)).toEqual(assumed(20))
    expect(speech.endsAt).toBe(180)
  })

  it.each([NaN, -1, Infinity])('a heard of %s counts as not told', (heard) => {
    const playout = new PlayoutClock()
    const played = playout.begin()
    playout.play(100, 0)
    playout.marked(playout.mark(0), heard, 100)
    const cut = playout.begin()
    playout.play(100, 100)
    const id = playout.mark(100)
    playout.clear(140)
    playout.marked(id, heard, 140)
    expect([played.heard(200), cut.heard(200)]).toEqual([known(100), assumed(40)])
  })

  it('a heard of more than was sent is all of it', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(100, 0)
    playout.marked(playout.mark(0), 1e9, 100)
    expect(speech.heard(100)).toEqual(known(100))
  })

  it('that is unknown, or comes twice, changes nothing', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(100, 0)
    const id = playout.mark(0)
    for (const unknown of [id + 1, -1, 0.5, NaN]) expect(playout.marked(unknown, 5, 50)).toBe(false)
    expect(speech.heard(50)).toEqual(assumed(50))
    expect(playout.marked(id, 80, 100)).toBe(true)
    expect(playout.marked(id, 20, 500)).toBe(false)
    expect(speech.heard(500)).toEqual(known(80))
    expect(speech.endsAt).toBe(100)
  })

  it('vouches for those before it that did not come', () => {
    const playout = new PlayoutClock()
    const first = playout.begin()
    playout.play(100, 0)
    playout.mark(0)
    const second = playout.begin()
    playout.play(100, 0)
    playout.marked(playout.mark(0), 70, 150)
    expect([first.heard(150), second.heard(150)]).toEqual([known(100), known(70)])
  })

  it('that was overtaken still tells what was heard, and nothing about the time', () => {
    const playout = new PlayoutClock()
    const first = playout.begin()
    playout.play(100, 0)
    const overtaken = playout.mark(0)
    playout.begin()
    playout.play(100, 0)
    const overtaking = playout.mark(0)
    const last = playout.begin()
    playout.play(100, 0)
    playout.marked(overtaking, undefined, 200)
    playout.marked(overtaken, 60, 250)
    expect([first.heard(250), last.heard(250)]).toEqual([known(60), assumed(50)])
    expect(last.endsAt).toBe(300)
  })

  it('that was overtaken after a clear, and tells nothing, leaves the assumption as it was', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(1_000, 0)
    const overtaken = playout.mark(0)
    playout.clear(300)
    playout.marked(playout.mark(300), undefined, 400)
    expect(playout.marked(overtaken, undefined, 900)).toBe(true)
    expect(speech.heard(900)).toEqual(assumed(400))
    expect(speech.endsAt).toBe(400)
  })

  it('in the middle of a stretch shares its heard out in the order of the sound', () => {
    const playout = new PlayoutClock()
    const first = playout.begin()
    playout.play(100, 0)
    const second = playout.begin()
    playout.play(100, 0)
    playout.marked(playout.mark(0), 120, 200)
    expect([first.heard(200), second.heard(200)]).toEqual([known(100), known(20)])
  })

  it('with no sound before it comes back like any other', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    expect(playout.marked(playout.mark(0), undefined, 10)).toBe(true)
    expect(speech.heard(10)).toEqual(known(0))
  })

  it('a line that never returns one does not fill the memory: the oldest are forgotten', () => {
    const playout = new PlayoutClock()
    const first = playout.begin()
    playout.play(100, 0)
    const forgotten = playout.mark(0)
    const second = playout.begin()
    playout.play(100, 0)
    const kept = playout.mark(0)
    playout.begin()
    for (let i = 0; i < 999; i++) playout.mark(50)
    expect(playout.marked(forgotten, 10, 60)).toBe(false)
    expect(first.heard(1_000)).toEqual(assumed(0))
    expect(playout.marked(kept, 10, 1_000)).toBe(true)
    expect(second.heard(1_000)).toEqual(known(10))
  })
})

describe('a clear', () => {
  it('ends what is heard, as assumed, until the line tells better', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(1_000, 0)
    const id = playout.mark(0)
    playout.clear(400)
    expect(speech.heard(2_000)).toEqual(assumed(400))
    expect([speech.endsAt, playout.endsAt]).toEqual([400, 400])
    playout.marked(id, 380, 2_000)
    expect(speech.heard(2_000)).toEqual(known(380))
  })

  it('of a line whose sound goes on is told by the time of its marks', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(5_000, 0)
    const id = playout.mark(0)
    playout.clear(400)
    expect(speech.heard(1_800)).toEqual(assumed(400))
    playout.marked(id, undefined, 1_900)
    expect(speech.heard(9_000)).toEqual(assumed(1_900))
  })

  it.each(['before', 'after'])('is told by a mark put right %s it, too', (order) => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(5_000, 0)
    let id = 0
    if (order === 'before') id = playout.mark(400)
    playout.clear(400)
    if (order === 'after') id = playout.mark(400)
    playout.marked(id, undefined, 1_900)
    expect(speech.heard(9_000)).toEqual(assumed(1_900))
  })

  it('of an empty queue takes nothing away', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.clear(0)
    playout.play(100, 10)
    const id = playout.mark(10)
    playout.clear(500)
    playout.clear(600)
    expect(speech.heard(700)).toEqual(assumed(100))
    expect([speech.endsAt, playout.endsAt]).toEqual([110, 110])
    playout.marked(id, undefined, 700)
    expect(speech.heard(700)).toEqual(assumed(100))
  })

  it('leaves alone what the line had told before', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(100, 0)
    playout.marked(playout.mark(0), 100, 100)
    playout.clear(100)
    expect(speech.heard(200)).toEqual(known(100))
  })

  it('new sound right after it is heard at once, whatever marks are still out', () => {
    const playout = new PlayoutClock()
    const old = playout.begin()
    playout.play(1_000, 0)
    const stale = playout.mark(0)
    playout.clear(300)
    const fresh = playout.begin()
    expect(playout.play(200, 300)).toBe(300)
    const id = playout.mark(300)
    expect([old.heard(400), fresh.heard(400)]).toEqual([assumed(300), assumed(100)])
    playout.marked(stale, 310, 400)
    expect(old.heard(400)).toEqual(known(310))
    playout.marked(id, undefined, 600)
    expect([old.heard(600), fresh.heard(600)]).toEqual([known(310), known(200)])
  })

  it('new sound waits while a line goes on with the old one: its marks tell', () => {
    const playout = new PlayoutClock()
    playout.play(5_000, 0)
    const stale = playout.mark(0)
    playout.clear(300)
    const fresh = playout.begin()
    playout.play(1_000, 300)
    playout.marked(stale, undefined, 800)
    expect(fresh.heard(900)).toEqual(assumed(100))
    expect(fresh.endsAt).toBe(1_800)
  })

  it('old sound goes on no longer than there was of it, however late its mark', () => {
    const playout = new PlayoutClock()
    const old = playout.begin()
    playout.play(500, 0)
    const stale = playout.mark(0)
    playout.clear(300)
    const fresh = playout.begin()
    playout.play(1_000, 300)
    playout.marked(stale, undefined, 1_200)
    expect([old.heard(1_200), fresh.heard(1_200)]).toEqual([assumed(500), assumed(700)])
  })

  it('of sound that had not begun because older sound went on: none of it was heard', () => {
    const playout = new PlayoutClock()
    playout.play(5_000, 0)
    const first = playout.mark(0)
    playout.clear(300)
    const never = playout.begin()
    playout.play(1_000, 300)
    const second = playout.mark(300)
    playout.clear(700)
    expect(never.heard(700)).toEqual(assumed(400))
    playout.marked(first, undefined, 900)
    playout.marked(second, undefined, 900)
    expect(never.heard(900)).toEqual(assumed(0))
  })

  it('a stale mark does not move new sound that began late enough', () => {
    const playout = new PlayoutClock()
    playout.play(5_000, 0)
    const stale = playout.mark(0)
    playout.clear(300)
    const first = playout.begin()
    playout.play(100, 310)
    const second = playout.begin()
    playout.play(100, 310)
    const last = playout.begin()
    playout.play(100, 1_000)
    playout.marked(stale, undefined, 1_000)
    expect([first.endsAt, second.endsAt, last.endsAt]).toEqual([1_100, 1_200, 1_300])
    expect([first.heard(1_150), second.heard(1_150), last.heard(1_150)].map(({ ms }) => ms)).toEqual([
      100, 50, 0,
    ])
  })

  it('a stale mark that could not be so late does not move what came after a pause', () => {
    const playout = new PlayoutClock()
    playout.play(200, 0)
    const stale = playout.mark(0)
    playout.play(200, 0)
    playout.clear(150)
    const first = playout.begin()
    playout.play(100, 310)
    const second = playout.begin()
    playout.play(50, 310)
    const last = playout.begin()
    playout.play(100, 1_000)
    playout.marked(stale, undefined, 1_000)
    expect([first.endsAt, second.endsAt, last.endsAt]).toEqual([500, 550, 1_100])
    expect(last.heard(1_050)).toEqual(assumed(50))
  })

  it('the expected end of what was cleared is not moved by marks before it', () => {
    const playout = new PlayoutClock()
    playout.play(100, 0)
    const first = playout.mark(0)
    const cut = playout.begin()
    playout.play(1_000, 0)
    playout.clear(300)
    playout.marked(first, undefined, 350)
    expect(cut.endsAt).toBe(300)
  })

  it('two of them between two marks: each part keeps what was assumed, as far as the sum allows', () => {
    const parts = (heard: number): number[] => {
      const playout = new PlayoutClock()
      const stretches = [100, 200, 300].map((passed, i) => {
        const stretch = playout.begin()
        playout.play(1_000, i * 1_000)
        playout.clear(i * 1_000 + passed)
        return stretch
      })
      playout.marked(playout.mark(2_300), heard, 2_300)
      return stretches.map((stretch) => stretch.heard(2_300).ms)
    }
    expect(parts(600)).toEqual([100, 200, 300])
    expect(parts(550)).toEqual([100, 200, 250])
    expect(parts(1_000)).toEqual([500, 200, 300])
  })

  it('between two marks: what came after it was heard, the rest is of what came before', () => {
    const playout = new PlayoutClock()
    const old = playout.begin()
    playout.play(1_000, 0)
    playout.clear(300)
    const fresh = playout.begin()
    playout.play(200, 300)
    playout.marked(playout.mark(300), 520, 500)
    expect([old.heard(500), fresh.heard(500)]).toEqual([known(320), known(200)])
  })

  it('a mark behind it says nothing about how long the old sound went on', () => {
    const playout = new PlayoutClock()
    const old = playout.begin()
    playout.play(1_000, 0)
    playout.mark(0)
    playout.clear(300)
    const fresh = playout.begin()
    playout.play(200, 300)
    playout.marked(playout.mark(300), undefined, 500)
    expect([old.heard(500), fresh.heard(500)]).toEqual([assumed(300), known(200)])
  })

  it('a stretch that goes on after it counts only what was heard of both parts', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(1_000, 0)
    playout.clear(300)
    playout.play(700, 2_000)
    expect(speech.heard(1_999)).toEqual(assumed(300))
    expect(speech.heard(9_999)).toEqual(assumed(1_000))
    expect(speech.sent).toBe(1_700)
  })
})

describe('whatever happens', () => {
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

  /** Lives it, and calls `check` after every event with all stretches and the time. */
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

  it('nobody heard more than was sent, or less than nothing', () => {
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

  it('what was heard grows less only when a mark corrects it', () => {
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

  it('what is known stays as it is, as long as nothing more is played', () => {
    fc.assert(
      fc.property(life, (events) => {
        const sure = new Map<PlayoutStretch, { ms: number; sent: number }>()
        live(events, (stretches, now, what) => {
          for (const stretch of stretches) {
            const { ms, known: isKnown } = stretch.heard(now)
            const { sent } = stretch
            const was = sure.get(stretch)
            // Only a mark that was overtaken may still correct what the overtaking one implied.
            if (was && was.sent === sent && what !== 'marked') {
              expect({ ms, isKnown }).toEqual({ ms: was.ms, isKnown: true })
            }
            if (isKnown) sure.set(stretch, { ms, sent })
          }
        })
      }),
    )
  })

  it('the sums are right: stretches make up all that was sent, and the ends are where time says', () => {
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

  it('a line that plays as it should is known to the millisecond, marks and clears included', () => {
    const step = fc.record({
      what: fc.constantFrom('play', 'play', 'mark', 'clear', 'begin'),
      ms: fc.integer({ min: 1, max: 500 }),
      passes: fc.integer({ min: 0, max: 300 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const playout = new PlayoutClock()
        // The line, millisecond by millisecond: whose sound it is, or the mark that stands there.
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
