import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SpeechOutput } from './speech-output.ts'

const output = (): SpeechOutput => {
  let id = 0
  return new SpeechOutput(() => ++id)
}

describe('the sentences of a speech', () => {
  it('[RV2] are new once they are complete, and the last one with the last words', () => {
    const speech = output()
    expect(speech.add('We are', false)).toEqual([])
    expect(speech.add(' open.  From eight', false)).toEqual([
      { id: 1, text: 'We are open.', status: 'new', heard: '' },
    ])
    expect(speech.add(' to six.', true)).toEqual([
      { id: 2, text: 'From eight to six.', status: 'new', heard: '' },
    ])
  })

  it('[RV2] progress as they are heard, and each is completed once', () => {
    const speech = output()
    speech.add('We are open.  From eight to six.', true)
    expect(speech.hear('We are').progress).toEqual([
      { id: 1, text: 'We are open.', status: 'in-progress', heard: 'We are' },
    ])
    expect(speech.hear('We are open.  From')).toEqual({
      words: ' open.  From',
      progress: [
        { id: 1, text: 'We are open.', status: 'completed', heard: 'We are open.' },
        { id: 2, text: 'From eight to six.', status: 'in-progress', heard: 'From' },
      ],
    })
    expect(speech.hear('We are open.')).toEqual({ words: '', progress: [] })
  })

  it('[RV2] contain all words, in whatever pieces they come, and only what was heard counts as heard', () => {
    const words = fc.array(fc.constantFrom('We', 'are', 'open.', 'Really!', '', '3.', '\n', 'Dr.', '…'))
    fc.assert(
      fc.property(words, fc.array(fc.nat(60)), fc.nat(200), (pieces, cuts, heardTo) => {
        const text = pieces.join(' ')
        const speech = output()
        const segments = new Map<number, { text: string; heard: string }>()
        let at = 0
        for (const cut of [...cuts, Infinity]) {
          for (const each of speech.add(text.slice(at, at + cut), cut === Infinity))
            segments.set(each.id, each)
          at += cut
        }
        const joined = [...segments.values()].map((each) => each.text).join(' ')
        expect(joined.replaceAll(/\s+/g, '')).toBe(text.replaceAll(/\s+/g, ''))
        const heard = text.slice(0, heardTo)
        for (const each of speech.hear(heard).progress) segments.set(each.id, each)
        const claimed = [...segments.values()].map((each) => each.heard).join('')
        expect(claimed.replaceAll(/\s+/g, '')).toBe(heard.replaceAll(/\s+/g, ''))
      }),
      { seed: 1 },
    )
  })
})
