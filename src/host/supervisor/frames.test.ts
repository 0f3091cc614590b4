import { describe, expect, it } from 'vitest'
import { culpritOf, framesOf, printFrames } from './frames.ts'

const own = 'file:///app/node_modules/endwell/dist/'
const stack = `Error
    at Module.exec [as run] (file:///app/agent.mjs:18:3)
    at async reply (/app/node_modules/endwell/dist/session/reply.js:5:9)
    at async file:///app/main.mjs:1:1`

describe('the culprit of a blocked event loop', () => {
  it('is the innermost function that is neither of Node nor of endwell', () => {
    const frames = [
      { name: 'pbkdf2Sync', url: 'node:internal/crypto/pbkdf2', line: 78, column: 17 },
      { name: 'emit', url: `${own}scope/edge.js`, line: 4, column: 1 },
      { name: '', url: 'file:///app/agent.ts', line: 12, column: 7 },
      { name: 'main', url: 'file:///app/main.ts', line: 1, column: 1 },
    ]
    expect(culpritOf(frames, own)).toEqual({
      function: '(anonymous)',
      file: '/app/agent.ts',
      line: 12,
      column: 7,
    })
    expect(culpritOf(frames.slice(0, 2), own)).toMatchObject({ function: 'emit' })
    expect(culpritOf(frames.slice(0, 1), own)).toMatchObject({ function: 'pbkdf2Sync' })
    expect(culpritOf([], own)).toBeUndefined()
  })

  it('is read from the stack of an error, with the names that the inspector uses', () => {
    expect(framesOf(stack).map(({ name, line }) => [name, line])).toEqual([
      ['exec', 18],
      ['reply', 5],
      ['', 1],
    ])
    expect(culpritOf(framesOf(stack).slice(1), own)).toMatchObject({ file: '/app/main.mjs' })
    expect(printFrames(framesOf(stack))).toBe(`    at exec (/app/agent.mjs:18:3)
    at reply (/app/node_modules/endwell/dist/session/reply.js:5:9)
    at /app/main.mjs:1:1`)
  })
})
