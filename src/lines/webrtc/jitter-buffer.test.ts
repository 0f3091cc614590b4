import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JitterBuffer, type Packet } from './jitter-buffer.ts'

const PATIENCE = 60
const FRAME = 20
const PER_MS = 48

/** A packet whose payload says which one it is. `at` is its place in the sound, in frames. */
function packet(index: number, { first = 65_530, start = 2 ** 32 - 4_000, at = index } = {}): Packet {
  return {
    sequence: (first + index) % 2 ** 16,
    timestamp: (start + at * FRAME * PER_MS) % 2 ** 32,
    payload: Uint8Array.of(index >> 8, index & 255),
  }
}

/** A buffer, and everything that came out of it. */
class Scene {
  readonly buffer = new JitterBuffer({ perMs: PER_MS, durationOf: () => FRAME, patience: PATIENCE })
  readonly out: string[] = []
  /** Packets in the order in which they came out, and when. */
  readonly packets: { readonly index: number; readonly at: number }[] = []
  milliseconds = 0
  now = 0

  arrives(each: Packet, now = this.now): void {
    this.elapseTo(now)
    this.buffer.push(each, now)
    this.#take()
  }

  /** Time passes, and the buffer is looked at when it wants to be. */
  elapseTo(now: number): void {
    for (
      let wakeAt = this.buffer.wakeAt;
      wakeAt !== undefined && wakeAt <= now;
      wakeAt = this.buffer.wakeAt
    ) {
      this.now = Math.max(this.now, wakeAt)
      this.#take()
    }
    this.now = now
  }

  #take(): void {
    for (let next = this.buffer.next(this.now); next; next = this.buffer.next(this.now)) {
      if (next.type === 'packet') {
        const index = next.payload[0]! * 256 + next.payload[1]!
        this.packets.push({ index, at: this.now })
        this.out.push(`${index}`)
        this.milliseconds += FRAME
      } else {
        this.out.push(`${next.type} ${next.ms}`)
        this.milliseconds += next.ms
      }
    }
  }
}

describe('a jitter buffer', () => {
  it('[WR1] does not delay packets that are in order, also where their numbers wrap around', () => {
    const scene = new Scene()
    for (let i = 0; i < 20; i++) scene.arrives(packet(i), i * FRAME)
    expect(scene.packets).toEqual(Array.from({ length: 20 }, (_, index) => ({ index, at: index * FRAME })))
    expect([scene.buffer.lost, scene.buffer.dropped, scene.buffer.wakeAt]).toEqual([0, 0, undefined])
  })

  it('[WR1] waits for a missing packet for its patience, conceals exactly its time, and drops it if it comes after that', () => {
    const scene = new Scene()
    scene.arrives(packet(0), 0)
    scene.arrives(packet(3), 60)
    scene.arrives(packet(4), 80)
    scene.elapseTo(60 + PATIENCE - 1)
    expect(scene.out).toEqual(['0'])
    scene.elapseTo(60 + PATIENCE)
    expect(scene.out).toEqual(['0', 'lost 40', '3', '4'])
    scene.arrives(packet(1), 200)
    expect([scene.out.length, scene.buffer.dropped, scene.buffer.lost]).toEqual([4, 1, 40])
  })

  it('[WR1] does not take a pause for a loss', () => {
    const scene = new Scene()
    scene.arrives(packet(0))
    scene.arrives(packet(1, { at: 51 }))
    expect(scene.out).toEqual(['0', 'pause 1000', '1'])
    scene.arrives(packet(3, { at: 103 }))
    scene.elapseTo(PATIENCE)
    expect(scene.out.slice(3)).toEqual(['lost 20', 'pause 1000', '3'])
    expect(scene.buffer.lost).toBe(20)
  })

  it('[WR1] follows a stream that starts again', () => {
    const scene = new Scene()
    scene.arrives(packet(0))
    scene.arrives(packet(2))
    const again = { first: 30_000, start: 7 }
    for (let i = 10; i < 13; i++) scene.arrives(packet(i, again))
    expect(scene.out).toEqual(['0', '10', '11', '12'])
  })

  it('[WR1] limits how many packets wait', () => {
    const scene = new Scene()
    scene.arrives(packet(0))
    for (let i = 2; i < 66; i++) scene.arrives(packet(i))
    expect(scene.out.slice(0, 3)).toEqual(['0', 'lost 20', '2'])
  })

  it('[WR1] has every packet heard once and in order, and all of the time accounted for, however packets arrive', () => {
    const lives = fc.array(
      fc.record({
        // Milliseconds on the way; undefined: lost.
        delay: fc.option(fc.nat({ max: 150 }), { nil: undefined, freq: 6 }),
        twice: fc.boolean(),
        // The sender's clock is up to 1 % wrong.
        drift: fc.integer({ min: -1, max: 1 }),
      }),
      { minLength: 1, maxLength: 120 },
    )
    fc.assert(
      fc.property(lives, (given) => {
        let drifted = 0
        const arrivals = given.flatMap(({ delay, twice, drift }, index) => {
          drifted += drift * 0.25
          if (delay === undefined) return []
          const at = index * FRAME + drifted + delay
          return twice
            ? [
                { index, at },
                { index, at: at + 30 },
              ]
            : [{ index, at }]
        })
        const scene = new Scene()
        const arrivedAt = new Map<number, number>()
        for (const { index, at } of arrivals.toSorted((one, other) => one.at - other.at)) {
          arrivedAt.set(index, Math.min(at, arrivedAt.get(index) ?? Infinity))
          scene.arrives(packet(index), at)
        }
        scene.elapseTo(1e6)
        const heard = scene.packets.map(({ index }) => index)
        expect(heard).toEqual([...new Set(heard)].toSorted((one, other) => one - other))
        for (const { index, at } of scene.packets)
          expect(at - arrivedAt.get(index)!).toBeLessThanOrEqual(PATIENCE)
        const unheard = arrivals.length - heard.length
        expect(scene.buffer.dropped).toBe(unheard)
        if (heard.length > 0) expect(scene.milliseconds).toBe((heard.at(-1)! - heard[0]! + 1) * FRAME)
      }),
    )
  })

  it('[WR1] conceals no more than was lost, and delays little, on a network that delays by up to 50 ms and loses 5 %', () => {
    const way = fc.noBias(fc.record({ delay: fc.nat({ max: 50 }), fate: fc.nat({ max: 99 }) }))
    const ways = fc.array(way, { minLength: 3_000, maxLength: 3_000, size: 'max' })
    const [given = []] = fc.sample(ways, { seed: 1, numRuns: 1 })
    const arrivals = given.flatMap(({ delay, fate }, index) =>
      fate < 5 ? [] : [{ index, at: index * FRAME + delay }],
    )
    const scene = new Scene()
    const arrivedAt = new Map(arrivals.map(({ index, at }) => [index, at]))
    for (const { index, at } of arrivals.toSorted((one, other) => one.at - other.at))
      scene.arrives(packet(index), at)
    scene.elapseTo(1e6)
    const waits = scene.packets.map(({ index, at }) => at - arrivedAt.get(index)!)
    const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length
    const missing = given.length - arrivals.length
    const concealed = scene.buffer.lost / FRAME
    console.log(
      `${arrivals.length} packets, ${missing} lost: ${concealed} concealed, ${mean.toFixed(1)} ms added on average`,
    )
    // The first packets may overtake each other before anything is due.
    expect(Math.abs(concealed - missing)).toBeLessThanOrEqual(2)
    expect(mean).toBeLessThan(20)
  })
})
