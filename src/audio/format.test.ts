import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aLaw, muLaw, nearestFormat, pcm, sameFormat, sampleRates, type AudioFormat } from './index.ts'

const all: readonly AudioFormat[] = [...sampleRates.map(pcm), muLaw, aLaw]
const anyFormat = fc.constantFrom(...all)
const anyOffer = fc.uniqueArray(anyFormat, { minLength: 1 })

/** Whether sound of the first format can be carried by the second without a loss. */
const keeps = (one: AudioFormat, other: AudioFormat): boolean =>
  sameFormat(one, other) || (other.encoding === 'pcm' && other.sampleRate >= one.sampleRate)

describe('the nearest format', () => {
  it('[PT1] is one of those that are offered, whatever their order', () => {
    fc.assert(
      fc.property(anyFormat, anyOffer, (wanted, offered) => {
        const chosen = nearestFormat(wanted, offered)
        expect(offered).toContain(chosen)
        expect(nearestFormat(wanted, offered.toReversed())).toBe(chosen)
      }),
    )
  })

  it('[PT1] is the same format if it is offered', () => {
    fc.assert(
      fc.property(anyFormat, anyOffer, (wanted, offered) => {
        expect(nearestFormat(wanted, [...offered, wanted])).toEqual(wanted)
      }),
    )
  })

  it('[PT1] loses nothing if any of the formats loses nothing', () => {
    fc.assert(
      fc.property(anyFormat, anyOffer, (wanted, offered) => {
        const kept = offered.some((each) => keeps(wanted, each))
        expect(keeps(wanted, nearestFormat(wanted, offered))).toBe(kept)
      }),
    )
  })

  it('[PT1] needs no resampling if a format that loses no more has the same rate', () => {
    fc.assert(
      fc.property(anyFormat, anyOffer, (wanted, offered) => {
        const chosen = nearestFormat(wanted, offered)
        if (chosen.sampleRate === wanted.sampleRate) return
        const same = offered.filter(({ sampleRate }) => sampleRate === wanted.sampleRate)
        expect(same.some((each) => keeps(wanted, each))).toBe(false)
      }),
    )
  })

  it.each<[AudioFormat, AudioFormat[], AudioFormat]>([
    [muLaw, [pcm(16_000), muLaw], muLaw],
    [muLaw, [pcm(16_000), pcm(8_000), aLaw], pcm(8_000)],
    [muLaw, [pcm(48_000), pcm(24_000), aLaw], pcm(24_000)],
    [pcm(8_000), [muLaw, pcm(16_000)], pcm(16_000)],
    [pcm(16_000), [pcm(8_000), muLaw, pcm(48_000)], pcm(48_000)],
    [pcm(48_000), [pcm(8_000), muLaw, pcm(16_000)], pcm(16_000)],
    [pcm(48_000), [muLaw, pcm(8_000)], pcm(8_000)],
    [aLaw, [muLaw], muLaw],
  ])('[PT1] of %o in %o is %o', (wanted, offered, chosen) => {
    expect(nearestFormat(wanted, offered)).toEqual(chosen)
  })
})
