import { describe, expect, it } from 'vitest'
import { limits } from './limits.ts'
import { PlayoutQueue } from './playout-queue.ts'

const RATE = 16_000
const seconds = (count: number): Int16Array => new Int16Array(count * RATE).fill(1)

/** Takes what the page should have. Returns how far it reaches. */
function send(queue: PlayoutQueue): number {
  let reach = 0
  for (let piece = queue.next(); piece; piece = queue.next()) reach = piece.position + piece.samples.length
  return reach
}

describe('what waits to be heard', () => {
  it('is sent in pieces of 20 ms, never more than a little ahead of what was played', () => {
    const queue = new PlayoutQueue(RATE)
    queue.play(seconds(5), 0)
    expect(queue.next()).toEqual({ position: 0, samples: new Int16Array(320).fill(1) })
    const ahead = (limits.ahead * RATE) / 1000
    expect(send(queue)).toBe(ahead)
    queue.played(RATE)
    expect(send(queue)).toBe(RATE + ahead)
    expect(queue.unheard).toBe(4_000)
  })

  it('is refused when there is far too much of it', () => {
    const queue = new PlayoutQueue(RATE)
    const minute = seconds(60)
    let minutes = 0
    while (queue.play(minute, 0)) minutes++
    expect(minutes).toBe(limits.queued / 60_000)
  })

  it('cannot have been played before it was sent, whatever the page says', () => {
    const queue = new PlayoutQueue(RATE)
    queue.play(seconds(5), 0)
    queue.mark(1)
    send(queue)
    queue.played(Infinity)
    expect(queue.giveUp()).toEqual([{ id: 1, heard: limits.ahead }])
  })

  it('counts as heard up to what there was, whatever the page says', () => {
    const queue = new PlayoutQueue(RATE)
    queue.play(seconds(1), 0)
    queue.mark(1)
    send(queue)
    expect(queue.marked(1, 5_000)).toEqual({ heard: 1_000 })
    expect(queue.marked(1, 5_000)).toBeUndefined()
    expect(queue.marked(7, 0)).toBeUndefined()
  })

  it('was not heard where it was thrown away, also if a mark spans that', () => {
    const queue = new PlayoutQueue(RATE)
    queue.play(seconds(1), 0)
    send(queue)
    queue.played(RATE / 4)
    expect(queue.clear()).toBe(RATE)
    queue.play(seconds(1), 0)
    queue.mark(1)
    send(queue)
    queue.played(2 * RATE)
    expect(queue.giveUp()).toEqual([{ id: 1, heard: 1_250 }])
  })

  it('is sent again to a page that knows nothing, from where the last one is known to have been', () => {
    const queue = new PlayoutQueue(RATE)
    queue.play(seconds(1), 0)
    queue.mark(1)
    send(queue)
    queue.played(RATE / 2)
    expect(queue.joined(undefined)).toBe(RATE / 2)
    expect(queue.next()).toMatchObject({ position: RATE / 2 })
    expect(queue.marked(1, 500)).toEqual({ heard: 1_000 })
  })

  it('goes on behind what a page has that was here before', () => {
    const queue = new PlayoutQueue(RATE)
    queue.play(seconds(1), 0)
    send(queue)
    expect(queue.joined({ played: RATE / 4, buffered: RATE / 2 })).toBe(0)
    expect(queue.next()).toMatchObject({ position: RATE / 2 })
  })

  it('passes by unheard while no sound comes out, at the speed of time', () => {
    const queue = new PlayoutQueue(RATE)
    queue.silent(0)
    queue.play(seconds(3), 0)
    queue.mark(1)
    expect(queue.next()).toBeUndefined()
    expect(queue.audible(1_000)).toBe(RATE)
    expect(queue.next()).toMatchObject({ position: RATE })
    send(queue)
    queue.played(2 * RATE)
    expect(queue.giveUp()).toEqual([{ id: 1, heard: 1_000 }])
  })

  it('keeps no more marks than there may be', () => {
    const queue = new PlayoutQueue(RATE)
    for (let id = 0; id < limits.marks + 10; id++) queue.mark(id)
    expect(queue.marks).toHaveLength(limits.marks)
    expect(queue.marks[0]?.id).toBe(10)
  })
})
