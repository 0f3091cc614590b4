import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits } from './limits.ts'
import { MediaOrder } from './media-order.ts'

const heard = (order: MediaOrder, ...numbers: readonly (number | undefined)[]): number[] =>
  numbers.flatMap((number) =>
    order.next({ bytes: Uint8Array.of(number ?? 255), number }).map(([first]) => first!),
  )

describe('the order of sound', () => {
  it('[LN10] is restored by the numbers of the carrier', () => {
    expect(heard(new MediaOrder(), 1, 3, 2, 4, 6, 7, 5, 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('waits for a missing frame until a few later ones have come, and drops it if it comes after that', () => {
    const order = new MediaOrder()
    expect(heard(order, 1, 3, 4, 5, 6)).toEqual([1])
    expect(heard(order, 7)).toEqual([3, 4, 5, 6, 7])
    expect(heard(order, 2, 8)).toEqual([8])
  })

  it('plays a frame once', () => {
    expect(heard(new MediaOrder(), 1, 1, 2, 2, 3)).toEqual([1, 2, 3])
  })

  it('follows a carrier that counts from the start again, or not at all', () => {
    expect(heard(new MediaOrder(), 100, 101, 103, 1, 2, 3)).toEqual([100, 101, 103, 1, 2, 3])
    expect(heard(new MediaOrder(), undefined, undefined)).toEqual([255, 255])
  })

  it('[LN10] is right however frames that are near each other are mixed, and nothing is lost', () => {
    const shuffled = fc
      .array(fc.nat({ max: limits.outOfOrder - 2 }), { minLength: 1, maxLength: 100 })
      .map((delays) =>
        delays
          .map((delay, number) => ({ number, at: number + (number === 0 ? 0 : delay) }))
          .toSorted((one, other) => one.at - other.at)
          .map(({ number }) => number),
      )
    fc.assert(
      fc.property(shuffled, (numbers) => {
        const all = [...numbers.keys()]
        expect(heard(new MediaOrder(), ...numbers).concat()).toEqual(all)
      }),
    )
  })
})
