import { describe, expect, it } from 'vitest'
import { readResults } from '../../tools/nodes/results.ts'

const test = (status: string, fullName: string, ...failureMessages: string[]) => ({
  status,
  fullName,
  failureMessages,
})
const results = (report: object) => readResults(() => JSON.stringify(report), 'printed\n', '/repo/')

describe('the results of a run of vitest', () => {
  it('count what passed, and name what failed', () => {
    const assertionResults = [test('passed', 'a'), test('failed', 'b', 'Error: no')]
    const testResults = [
      { name: '/repo/test/a.test.ts', message: '', assertionResults },
      { name: '/repo/test/b.test.ts', message: 'SyntaxError', assertionResults: [] },
    ]
    expect(results({ numPassedTests: 1, success: false, testResults })).toEqual({
      passed: 1,
      failed: ['test/a.test.ts > b\nError: no', 'test/b.test.ts\nSyntaxError'],
    })
  })

  it('have what vitest printed if the report names no failure, or if there is no report', () => {
    const unhandled = { numPassedTests: 1, success: false, testResults: [] }
    expect(results(unhandled)).toEqual({ passed: 1, failed: ['printed'] })
    expect(readResults(() => '', 'printed\n', '/repo/')).toEqual({ passed: 0, failed: ['printed'] })
  })
})
