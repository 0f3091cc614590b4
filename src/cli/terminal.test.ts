import { afterEach, describe, expect, it, vi } from 'vitest'
import { jsonLine } from '../report/index.ts'
import { terminal } from './terminal.ts'

afterEach(() => vi.restoreAllMocks())

const hostile = 'a\u001b[2Jb\u009b31mc\u0007\u202ed\ne\u2028f\u007f'

describe('the terminal', () => {
  it('[HO9] gets no control character that somebody else sent', () => {
    const printed: string[] = []
    vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
    vi.spyOn(console, 'error').mockImplementation((text: string) => void printed.push(text))
    terminal.print(hostile, 'two')
    terminal.complain(hostile)
    terminal.json({ [hostile]: hostile })
    expect(printed).toHaveLength(4)
    for (const line of printed) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(printed[0]).toBe('a\\x1b[2Jb\\x9b31mc\\x07\\u{202e}d\\ne\\u{2028}f\\x7f')
  })

  it('[HO9] gets JSON that means the same', () => {
    const value = { [hostile]: [hostile, 'é', '👩‍👩‍👧', '\u{e0001}'] }
    expect(JSON.parse(jsonLine(value))).toEqual(value)
  })
})
