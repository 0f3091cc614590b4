import { describe, expect, it } from 'vitest'
import { phonesOf, spokenPhonesOf, tokensOf, wordStarts } from './flite-words.ts'

const spellingsOf = (text: string): string[] => tokensOf(text).map(({ spelling }) => spelling)

/** The start of each word in a speech whose phones take 10 ms each, and whose pauses take 100 ms. */
function startsOf(text: string, alone: readonly string[], speech: string): string[] {
  let end = 0
  const printed = speech.split(' ').map((phone) => {
    end += phone === 'pau' ? 0.1 : 0.01
    return `${phone}:${end.toFixed(3)} `
  })
  const phones = alone.map((word) => word.split(' ').filter(Boolean))
  return wordStarts(tokensOf(text), phones, spokenPhonesOf(printed.join(''))).map(
    ({ position, at }) => `${text.slice(position).split(' ')[0]} ${Math.round(at)}`,
  )
}

describe('the words of a text', () => {
  it('are spelt in ASCII, which is all that flite reads', () => {
    expect(spellingsOf('It’s “good” — really…')).toEqual(["It's", '"good"', '-', 'really...'])
    expect(spellingsOf('Café Straße Søren')).toEqual(['Cafe', 'Strasse', 'Soren'])
    expect(spellingsOf('€5 or £1,200.50!')).toEqual(['5 euros', 'or', '1,200.50 pounds!'])
  })

  it('leave out what flite cannot read, and keep their positions', () => {
    expect(tokensOf('Yes 👍 中文 no')).toEqual([
      { position: 0, spelling: 'Yes' },
      { position: 10, spelling: 'no' },
    ])
  })
})

describe('the output of flite', () => {
  it('has the end of each phone in seconds', () => {
    expect(spokenPhonesOf('pau:0.218 g:0.280 uh:0.324 pau:0.400 d:0.450 \n')).toEqual([
      { phone: 'g', start: 218 },
      { phone: 'uh', start: 280 },
      { phone: 'd', start: 400 },
    ])
  })

  it('has the phones of a word in each line', () => {
    expect(phonesOf('pau g uh d pau \npau \npau ih t pau \n')).toEqual([['g', 'uh', 'd'], [], ['ih', 't']])
  })
})

describe('the times of words', () => {
  it('are those of their first phones, after a pause', () => {
    expect(startsOf('Good, it is.', ['g uh d', 'ih t', 'ih z'], 'pau g uh d pau ih t ih z pau')).toEqual([
      'Good, 100',
      'it 230',
      'is. 250',
    ])
  })

  it('stay right behind a word that sounds different in a sentence', () => {
    const alone = ['m ey', 'f ay v', 'ih z', 'ey', 'd ey']
    expect(startsOf('May 5 is a day', alone, 'm ey f ih f th ih z ax d ey')).toEqual([
      'May 0',
      '5 20',
      'is 60',
      'a 80',
      'day 90',
    ])
  })

  it('stay right behind a word that is said in another place', () => {
    const alone = ['t uw d aa l er z', 'm ih l y ax n', 'g aa n']
    const starts = startsOf('$2 million gone', alone, 't uw m ih l y ax n d aa l er z g aa n')
    expect([starts[0], starts.at(-1)]).toEqual(['$2 0', 'gone 130'])
  })

  it('are not known if it is not known what each word sounds like', () => {
    expect(startsOf('Yes no', ['y eh s'], 'y eh s n ow')).toEqual([])
    expect(startsOf('Yes no', ['y eh s', 'n ow', ''], 'y eh s n ow')).toEqual([])
  })

  it('are not known for a word that is not spoken', () => {
    expect(startsOf('Yes - no', ['y eh s', '', 'n ow'], 'y eh s n ow')).toEqual(['Yes 0', 'no 30'])
  })
})
