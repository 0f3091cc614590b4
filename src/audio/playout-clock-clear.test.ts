import { describe, expect, it } from 'vitest'
import { PlayoutClock } from './index.ts'

const known = (ms: number) => ({ ms, known: true })
const assumed = (ms: number) => ({ ms, known: false })

describe('a clear', () => {
  it('stops the assumed playout, until the line reports otherwise', () => {
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

  it('on a line whose sound continues is measured by the time of its marks', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(5_000, 0)
    const id = playout.mark(0)
    playout.clear(400)
    expect(speech.heard(1_800)).toEqual(assumed(400))
    playout.marked(id, undefined, 1_900)
    expect(speech.heard(9_000)).toEqual(assumed(1_900))
  })

  it.each(['before', 'after'])('is also measured by a mark put right %s it', (order) => {
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

  it('of an empty queue has no effect', () => {
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

  it('does not change what the line has reported before', () => {
    const playout = new PlayoutClock()
    const speech = playout.begin()
    playout.play(100, 0)
    playout.marked(playout.mark(0), 100, 100)
    playout.clear(100)
    expect(speech.heard(200)).toEqual(known(100))
  })

  it('lets new sound start at once, whatever marks are pending', () => {
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

  it('delays new sound while the line still plays old sound, as its marks show', () => {
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

  it('lets old sound continue no longer than it lasts, however late its mark', () => {
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

  it('of sound that had not started, because older sound continued, leaves it unheard', () => {
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

  it('is followed by stale marks that do not move new sound that started late enough', () => {
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

  it('is followed by impossibly late marks that do not move sound after a pause', () => {
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

  it('fixes the expected end of the cleared sound, whatever earlier marks report', () => {
    const playout = new PlayoutClock()
    playout.play(100, 0)
    const first = playout.mark(0)
    const cut = playout.begin()
    playout.play(1_000, 0)
    playout.clear(300)
    playout.marked(first, undefined, 350)
    expect(cut.endsAt).toBe(300)
  })

  it('that comes twice between two marks keeps the assumption for each part, as far as the sum allows', () => {
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

  it('between two marks attributes the report first to the sound after it, then to the sound before', () => {
    const playout = new PlayoutClock()
    const old = playout.begin()
    playout.play(1_000, 0)
    playout.clear(300)
    const fresh = playout.begin()
    playout.play(200, 300)
    playout.marked(playout.mark(300), 520, 500)
    expect([old.heard(500), fresh.heard(500)]).toEqual([known(320), known(200)])
  })

  it('is followed by a mark that does not show how long the old sound continued', () => {
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

  it('in the middle of a stretch counts what was heard of both parts', () => {
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
