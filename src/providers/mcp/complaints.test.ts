import { describe, expect, it } from 'vitest'

import { Complaints, gist } from './complaints.ts'
import { limits } from './limits.ts'

const complaintsOf = (secrets: readonly string[], ...chunks: readonly string[]): string => {
  const complaints = new Complaints(secrets)
  for (const chunk of chunks) complaints.add(Buffer.from(chunk))
  return complaints.text
}

describe('what a server complains about', () => {
  it('is kept without the secrets, wherever they are cut and whatever holds them', () => {
    expect(complaintsOf(['sesame', 'sesame-street'], 'key ses', 'ame-street, key sesame\n')).toBe(
      'key …, key …',
    )
    expect(complaintsOf(['-----BEGIN\nfirst line\nlast line\n'], 'last line is bad')).toBe('… is bad')
    expect(complaintsOf(['1', 'true'], '1 is not true')).toBe('1 is not true')
  })

  it('is only the end of it, in whole lines', () => {
    const text = complaintsOf([], 'x'.repeat(limits.complaints), '\nthe end\n')
    expect(text).toBe('the end')
    expect(complaintsOf(['sesame-street'], 'sesame-street', 'x'.repeat(limits.complaints - 6))).toBe('')
  })

  it('comes down to the line that speaks of an error', () => {
    expect(gist('throw new Error()\n\nError: no key\n    at main\n\nNode.js v20.0.0')).toBe('Error: no key')
    expect(gist('one\ntwo')).toBe('two')
    expect(gist('')).toBe('')
    expect(gist('e'.repeat(1_000))).toHaveLength(limits.gist)
  })
})
