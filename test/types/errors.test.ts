import { describe, expect, expectTypeOf, it } from 'vitest'

import { EndwellError, SessionClosedError, ToolError } from '../../src/index.ts'
import type { Change, ErrorCode, ErrorReport, Scope } from '../../src/scope/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const thrown: unknown

describe('an error of endwell', () => {
  it('has a code that a program can branch on', () =>
    types(() => {
      if (!(thrown instanceof EndwellError)) return
      expectTypeOf(thrown.code).toEqualTypeOf<ErrorCode>()
      if (thrown.code === 'SESSION_CLOSED') return
      // @ts-expect-error misspelt
      if (thrown.code === 'SESION_CLOSED') return
      // @ts-expect-error read-only
      thrown.code = 'CANCELLED'
    }))

  it('has one of the codes in the table, which are not just any text', () => {
    expectTypeOf<string>().not.toExtend<ErrorCode>()
    types(() => {
      expectTypeOf(new EndwellError('LIMIT', 'too many').code).toEqualTypeOf<ErrorCode>()
      // @ts-expect-error not in the table
      return new EndwellError('TOO_MANY', 'too many')
    })
  })

  it('has the codes of tools only, if a tool failed', () =>
    types((error = {} as ToolError) => {
      switch (error.code) {
        case 'TOOL_UNKNOWN':
        case 'TOOL_INPUT':
        case 'TOOL_TIMEOUT':
        case 'TOOL_CANCELLED':
        case 'TOOL_REFUSED':
        case 'TOOL_LIMIT':
        case 'TOOL_UNSUPPORTED':
          break
        default:
          expectTypeOf(error.code).toEqualTypeOf<never>()
      }
      // @ts-expect-error the code of another room
      return new ToolError('SESSION_CLOSED', 'closed')
    }))

  it('is described in a report with any code, because other errors have codes too', () => {
    expectTypeOf<ErrorReport['code']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<SessionClosedError>().toExtend<EndwellError>()
  })
})

describe('a change in a scope', () => {
  it('has a known type, kind and outcome', () =>
    types((scope = {} as Scope) => {
      scope.inspect((change) => {
        expectTypeOf(change).toEqualTypeOf<Change>()
        if (change.outcome === 'timed-out' || change.outcome === 'fired') return
        // @ts-expect-error misspelt
        if (change.outcome === 'timedout') return
        // @ts-expect-error no such change
        if (change.type === 'removed') return
      })
    }))
})
