import { describe, expect, it } from 'vitest'
import type { AudioFrame } from '../audio/index.ts'
import { CatchUp } from './catch-up.ts'

/** A frame of 20 ms with a number in it. */
const frame = (number: number): AudioFrame => ({
  samples: new Int16Array(320).fill(number),
  sampleRate: 16_000,
})

/** Pushes frames at given times. Returns the numbers that were passed on, by time. */
function pushed(
  catchUp: CatchUp,
  frames: readonly (readonly [number: number, at: number])[],
): [number, number[]][] {
  return frames.flatMap(([number, at]) => {
    const numbers = catchUp.push(frame(number), at).map(({ samples }) => samples[0]!)
    return numbers.length > 0 ? [[at, numbers] as [number, number[]]] : []
  })
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

describe('sound of a client', () => {
  it('[RV11] passes frame by frame if it comes in real time, also with jitter', () => {
    const jitter = [0, 15, -10, 20, 5, -20, 0, 10]
    const frames = jitter.map((late, index) => [index, 1_000 + index * 20 + late] as const)
    expect(pushed(new CatchUp(1_000), frames)).toEqual(frames.map(([number, at]) => [at, [number]]))
  })

  it('[RV11] that was recorded before the call is dropped, except for the last second', () => {
    const catchUp = new CatchUp(1_000)
    const burst = numbers(1, 500).map((number) => [number, 5] as const)
    expect(pushed(catchUp, burst)).toEqual([
      [5, [1]],
      [5, [2]],
      [5, [3]],
    ])
    expect(pushed(catchUp, [[501, 25]])).toEqual([[25, numbers(451, 501)]])
    const live = numbers(502, 600).map((number) => [number, 45 + (number - 502) * 20] as const)
    expect(pushed(catchUp, live)).toEqual(live.map(([number, at]) => [at, [number]]))
  })

  it('[RV11] that the network has held up is not lost, however long it took', () => {
    const catchUp = new CatchUp(1_000)
    pushed(catchUp, [[0, 0]])
    const late = numbers(1, 500).map((number) => [number, 10_000] as const)
    expect(pushed(catchUp, late).flatMap(([, all]) => all)).toEqual(numbers(1, 500))
  })

  it('[RV11] of a clock that is too fast is delayed by no more than a frame', () => {
    const catchUp = new CatchUp(1_000)
    const fast = numbers(0, 2_999).map((number) => [number, number * 19.9] as const)
    const passed = pushed(catchUp, fast)
    expect(passed.flatMap(([, all]) => all)).toEqual(numbers(0, 2_999))
    expect(Math.max(...passed.map(([, all]) => all.length))).toBeLessThanOrEqual(2)
  })
})
