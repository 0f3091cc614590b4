import { describe, expect, it } from 'vitest'

import { errorCodes } from '../../src/scope/error-codes.ts'
import { errorPage, isCurrent } from '../../tools/errors/page.ts'
import { sources } from './tree.ts'

const codes = Object.values(errorCodes).flatMap((room) => Object.keys(room))
const code = sources(/^src\/(?!.*\.test\.ts$).*\.ts$/).filter(
  ({ path }) => path !== 'src/scope/error-codes.ts',
)

describe('the error codes', () => {
  it('are unique', () => {
    expect(codes.filter((each, index) => codes.indexOf(each) !== index)).toEqual([])
  })

  it('are all used: a code without a use is removed from src/scope/error-codes.ts', () => {
    const text = code.map((file) => file.text).join('\n')
    expect(codes.filter((each) => !new RegExp(`'${each}'|\\b${each}: \\[`).test(text))).toEqual([])
  })

  it("include every code of the browser's client, where the compiler cannot check them", () => {
    const client = code.filter(({ path }) => path.startsWith('src/lines/websocket/client/'))
    const literals = client.flatMap(({ text }) => text.match(/(?<=')[A-Z]+_[A-Z_]+(?=')/g) ?? [])
    expect(literals.length).toBeGreaterThan(5)
    expect(literals.filter((each) => !codes.includes(each))).toEqual([])
  })

  it('say in plain sentences what they mean and what to do', () => {
    const entries = Object.values(errorCodes).flatMap((room) => Object.entries<readonly string[]>(room))
    const odd = entries.filter(([, texts]) => texts.some((text) => !/^[`A-Z].*\.$/.test(text)))
    expect(odd).toEqual([])
  })

  it('are on their page: run `npm run errors`', () => {
    expect(isCurrent(errorPage().text)).toBe(true)
  })
})
