import { describe, expect, it } from 'vitest'

import { limits } from './limits.ts'
import { errorLine, StderrTail } from './stderr-tail.ts'

const tailOf = (secrets: readonly string[], ...chunks: readonly string[]): string => {
  const tail = new StderrTail(secrets)
  for (const chunk of chunks) tail.add(Buffer.from(chunk))
  return tail.text
}

describe("the tail of a server's stderr", () => {
  it('contains no secrets, even if they are split between chunks or contain each other', () => {
    expect(tailOf(['sesame', 'sesame-street'], 'key ses', 'ame-street, key sesame\n')).toBe('key …, key …')
    expect(tailOf(['-----BEGIN\nfirst line\nlast line\n'], 'last line is bad')).toBe('… is bad')
    expect(tailOf(['1', 'true'], '1 is not true')).toBe('1 is not true')
  })

  it('contains only the last lines, without a line that was cut', () => {
    const text = tailOf([], 'x'.repeat(limits.stderr), '\nthe end\n')
    expect(text).toBe('the end')
    expect(tailOf(['sesame-street'], 'sesame-street', 'x'.repeat(limits.stderr - 6))).toBe('')
  })

  it('is summed up by the last line that mentions an error', () => {
    expect(errorLine('throw new Error()\n\nError: no key\n    at main\n\nNode.js v20.0.0')).toBe(
      'Error: no key',
    )
    expect(errorLine('one\ntwo')).toBe('two')
    expect(errorLine('')).toBe('')
    expect(errorLine('e'.repeat(1_000))).toHaveLength(limits.stderrLine)
  })
})
