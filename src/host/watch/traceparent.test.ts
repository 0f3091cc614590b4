import { describe, expect, it } from 'vitest'
import { traceparentOf } from './traceparent.ts'

const trace = '0af7651916cd43dd8448eb211c80319c'
const span = 'b7ad6b7169203331'
const valid = `00-${trace}-${span}-01`

describe('the traceparent of a request', () => {
  it('[HO26] is taken if it is valid', () => {
    expect(traceparentOf({ traceparent: valid })).toBe(valid)
    expect(traceparentOf({ traceparent: ` ${valid} ` })).toBe(valid)
    expect(traceparentOf({ traceparent: `00-${trace}-${span}-00` })).toBe(`00-${trace}-${span}-00`)
  })

  it('[HO26] of a later version is read as this one', () => {
    expect(traceparentOf({ traceparent: `cc-${trace}-${span}-ff` })).toBe(valid)
    expect(traceparentOf({ traceparent: `cc-${trace}-${span}-01-what-the-future-brings` })).toBe(valid)
  })

  it.each([
    '',
    'garbage',
    valid.toUpperCase(),
    `ff-${trace}-${span}-01`,
    `${valid}-more`,
    `${valid}, ${valid}`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}-${span}-1`,
    `00-${trace.slice(1)}-${span}-01`,
    `00-${trace}-${span}-01\r\nx-injected: 1`,
    `cc-${trace}-${span}-01.more`,
  ])('[HO26] is ignored if it is malformed: %j', (traceparent) => {
    expect(traceparentOf({ traceparent })).toBeUndefined()
  })

  it('[HO26] is ignored if it is missing or repeated', () => {
    expect(traceparentOf({})).toBeUndefined()
    expect(traceparentOf({ traceparent: [valid, valid] })).toBeUndefined()
  })
})
