import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SendWindow, spareMemory, type SendWindowOptions } from './send-window.ts'

const RATE = 16_000
const AHEAD = 1_500
const PER_MS = RATE / 1000
const seconds = (count: number) => ({ samples: new Int16Array(count * RATE).fill(1) })

const newWindow = (options: Partial<SendWindowOptions> = {}): SendWindow =>
  new SendWindow({
    samples: Int16Array,
    sampleRate: RATE,
    ahead: AHEAD,
    piece: 20,
    queued: 600_000,
    marks: 1_000,
    ...options,
  })

/** Sends everything that is due. Returns the position that it reaches. */
function send(window: SendWindow): number {
  for (let next = window.next(); next; next = window.next());
  return window.sent
}

describe('a send window', () => {
  it('sends pieces of one length, only a little ahead of what was played', () => {
    const window = newWindow()
    window.play(seconds(5), 0)
    expect(window.next()).toEqual({ position: 0, samples: new Int16Array(320).fill(1) })
    expect(send(window)).toBe(AHEAD * PER_MS)
    expect(window.waiting).toBe(true)
    window.confirm(RATE)
    expect(send(window)).toBe(RATE + AHEAD * PER_MS)
    expect(window.unheard).toBe(4_000)
  })

  it('sends no more until as much is missing as it refills at once', () => {
    const window = newWindow({ refill: 400 })
    window.play(seconds(5), 0)
    expect(send(window)).toBe(AHEAD * PER_MS)
    window.confirm(399 * PER_MS)
    expect(send(window)).toBe(AHEAD * PER_MS)
    window.confirm(400 * PER_MS)
    expect(send(window)).toBe((AHEAD + 400) * PER_MS)
    window.confirm(5 * RATE)
    expect(send(window)).toBe((AHEAD + 400) * PER_MS + AHEAD * PER_MS)
  })

  it('sends sound that comes late at once, although it refills', () => {
    const window = newWindow({ refill: 400 })
    for (let ms = 20; ms <= 400; ms += 20) {
      window.play({ samples: new Int16Array(20 * PER_MS) }, 0)
      expect(send(window)).toBe(ms * PER_MS)
    }
  })

  it('sends all queued samples once and in order, however they were cut', () => {
    const chunk = fc.integer({ min: 0, max: 900 })
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 30 }), (lengths) => {
        const window = newWindow()
        let count = 0
        const sent: number[] = []
        for (const length of lengths) {
          window.play({ samples: Int16Array.from({ length }, () => count++ % 30_000) }, 0)
          for (let piece = window.nextSound(Infinity); piece; piece = window.nextSound(Infinity))
            sent.push(...piece.samples)
          window.confirm(Math.floor(count / 2))
        }
        expect(sent).toEqual(Array.from({ length: count }, (_, i) => i % 30_000))
      }),
    )
  })

  it('[LN18] keeps sound that was not released, whatever becomes of other windows', () => {
    const [one, other] = [newWindow(), newWindow()]
    const chunk = fc.record({ length: fc.integer({ min: 1, max: 12_000 }), released: fc.nat(12_000) })
    let count = 0
    let read = 0
    fc.assert(
      fc.property(chunk, ({ length, released }) => {
        one.play({ samples: Int16Array.from({ length }, () => count++ % 30_000) }, 0)
        other.play({ samples: new Int16Array(length).fill(-1) }, 0)
        other.clear()
        for (let piece = one.nextSound(read + released); piece; piece = one.nextSound(read + released)) {
          assert.deepEqual(
            piece.samples,
            Int16Array.from(piece.samples, () => read++ % 30_000),
          )
          one.confirm(read)
        }
      }),
    )
    expect(read).toBeGreaterThan(count / 2)
  })

  it('[LN18] uses memory again as soon as its sound is released', () => {
    const window = newWindow()
    // The memory of one block is in use, so that it is there to be given back.
    window.play(seconds(1), 0)
    window.clear()
    const unused = spareMemory()
    window.play(seconds(1), 0)
    expect(spareMemory()).toBeLessThan(unused)
    window.nextSound(Infinity)
    window.clear()
    expect(spareMemory()).toBe(unused)
  })

  it('keeps no more memory than 4 MB that no window uses', () => {
    const window = newWindow()
    window.play(seconds(300), 0)
    window.clear()
    expect(spareMemory()).toBe(4 * 1024 * 1024)
  })

  it('refuses sound when too much is queued', () => {
    const window = newWindow({ queued: 3 * 60_000 })
    const minute = seconds(60)
    let minutes = 0
    while (window.play(minute, 0)) minutes++
    expect(minutes).toBe(3)
  })

  it('sends a mark at once, and again after a restart', () => {
    const window = newWindow()
    window.play(seconds(5), 0)
    window.mark(1)
    expect(window.next()).toMatchObject({ id: 1, at: 5 * RATE })
    expect(window.nextMark()).toBeUndefined()
    window.restart()
    expect(window.next()).toMatchObject({ id: 1, at: 5 * RATE })
  })

  it('ends a piece at an unsent mark, for listeners that need marks at their place in the stream', () => {
    const window = newWindow()
    window.play({ samples: new Int16Array(100) }, 0)
    window.mark(1)
    window.play({ samples: new Int16Array(100) }, 0)
    expect(window.nextSound(Infinity)?.samples).toHaveLength(100)
    expect(window.markDue).toBe(true)
    expect(window.sendMarks()).toBe(1)
    expect(window.markDue).toBe(false)
    expect(window.nextSound(Infinity)).toMatchObject({ position: 100 })
  })

  it('keeps no more marks than allowed', () => {
    const window = newWindow({ marks: 5 })
    for (let id = 1; id <= 8; id++) window.mark(id)
    expect(window.giveUp().map(({ id }) => id)).toEqual([4, 5, 6, 7, 8])
  })
})

describe('what was heard through a send window', () => {
  it('[LN3] does not count as played before it was sent, whatever the listener says', () => {
    const window = newWindow()
    window.play(seconds(5), 0)
    window.mark(1)
    send(window)
    window.confirm(Infinity)
    expect(window.giveUp()).toEqual([{ id: 1, heard: AHEAD }])
  })

  it('[LN3] is at most what was queued, whatever the listener says', () => {
    const window = newWindow()
    window.play(seconds(1), 0)
    window.mark(1)
    send(window)
    expect(window.marked(1, 5_000)).toEqual({ id: 1, heard: 1_000 })
    expect(window.marked(1, 5_000)).toBeUndefined()
    expect(window.marked(7, 0)).toBeUndefined()
  })

  it('[LN3] leaves out what was thrown away, also under a mark that spans it', () => {
    const window = newWindow()
    window.play(seconds(1), 0)
    send(window)
    window.confirm(RATE / 4)
    expect(window.clear()).toEqual({ clearTo: RATE })
    window.play(seconds(1), 0)
    window.mark(1)
    send(window)
    window.confirm(2 * RATE)
    expect(window.giveUp()).toEqual([{ id: 1, heard: 1_250 }])
  })

  it('[LN3] is settled mark by mark, in order', () => {
    const window = newWindow()
    for (const id of [1, 2, 3]) {
      window.play({ samples: new Int16Array(100 * PER_MS) }, 0)
      window.mark(id)
    }
    send(window)
    window.confirm(150 * PER_MS)
    expect(window.settle(2)).toEqual([
      { id: 1, heard: 100 },
      { id: 2, heard: 50 },
    ])
    expect(window.settle(2)).toEqual([])
    expect(window.giveUp()).toEqual([{ id: 3, heard: 0 }])
  })

  it('[LN3] passes unheard in real time while the listener makes no sound', () => {
    const window = newWindow()
    window.mute(0)
    window.play(seconds(3), 0)
    window.mark(1)
    expect(window.next()).toMatchObject({ id: 1 })
    expect(window.next()).toBeUndefined()
    window.unmute(1_000)
    expect(window.next()).toMatchObject({ position: RATE })
    send(window)
    window.confirm(2 * RATE)
    expect(window.giveUp()).toEqual([{ id: 1, heard: 1_000 }])
  })

  it('[LN3] never exceeds what was queued, and is returned once for each mark', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constantFrom('play', 'mute', 'unmute'), n: fc.integer({ min: 0, max: 3_000 }) }),
      fc.record({ do: fc.constantFrom('mark', 'clear', 'restart', 'send'), n: fc.constant(0) }),
      fc.record({ do: fc.constantFrom('confirm', 'marked'), n: fc.integer({ min: 0, max: 20_000 }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const window = newWindow()
        const lengths = new Map<number, number>()
        let queued = 0
        let now = 0
        let id = 0
        const heardOf = new Map<number, number>()
        const note = (mark: { id: number; heard: number } | undefined): void => {
          if (!mark) return
          expect(heardOf.has(mark.id)).toBe(false)
          heardOf.set(mark.id, mark.heard)
        }
        for (const { do: what, n } of steps) {
          now += 7
          if (what === 'play' && window.play({ samples: new Int16Array(n) }, now)) queued += n
          if (what === 'mute') window.mute(now)
          if (what === 'unmute') window.unmute(now)
          if (what === 'clear') window.clear()
          if (what === 'restart') window.restart()
          if (what === 'send') send(window)
          if (what === 'confirm') window.confirm(n)
          if (what === 'marked') note(window.marked(1 + (n % (id + 1)), n))
          if (what === 'mark') {
            window.mark(++id)
            lengths.set(id, queued / PER_MS)
            queued = 0
          }
          expect(window.from).toBeLessThanOrEqual(window.sent)
          expect(window.played).toBeLessThanOrEqual(window.sent)
        }
        for (const mark of window.giveUp()) note(mark)
        expect(heardOf.size).toBe(id)
        for (const [mark, heard] of heardOf) {
          expect(heard).toBeGreaterThanOrEqual(0)
          expect(heard).toBeLessThanOrEqual(lengths.get(mark)! + 1e-6)
        }
      }),
    )
  })
})

describe('a listener that joins again', () => {
  it('gets again everything that the previous one is not known to have played', () => {
    const window = newWindow()
    window.play(seconds(1), 0)
    window.mark(1)
    send(window)
    window.confirm(RATE / 2)
    expect(window.restart()).toBe(RATE / 2)
    window.nextMark()
    expect(window.next()).toMatchObject({ position: RATE / 2 })
    expect(window.marked(1, 500)).toEqual({ id: 1, heard: 1_000 })
  })

  it('continues behind what it has buffered, if it is the same one', () => {
    const window = newWindow()
    window.play(seconds(1), 0)
    send(window)
    expect(window.resume(RATE / 4, RATE / 2)).toBe(RATE / 4)
    expect(window.next()).toMatchObject({ position: RATE / 2 })
  })

  it('gets nothing that was cleared meanwhile', () => {
    const window = newWindow()
    window.play(seconds(1), 0)
    send(window)
    window.clear()
    window.play(seconds(1), 0)
    expect(window.resume(RATE / 4, RATE / 2)).toBe(RATE)
    expect(window.next()).toMatchObject({ position: RATE })
  })
})
