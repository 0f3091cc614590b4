import { beforeAll, describe, expect, it } from 'vitest'
import { logsOf, programsOf, room, type PageProgram } from '../page-programs.ts'

/** The program as a module: with the imports that the page leaves out, and the source instead of the package. */
function moduleOf({ code }: PageProgram): string {
  const imported = /import \{ Scope \}/.test(code) ? '' : 'Scope, '
  return [
    `import { ${imported}liveScopes, systemClock } from ${room('scope')}`,
    `import { formatReport } from ${room('report')}`,
    code.replace(`'endwell/testing'`, room('testing')).replace(`'endwell/scope'`, room('scope')),
  ].join('\n')
}

describe('docs/scope.md', () => {
  const programs = programsOf('docs/scope.md')
  let logs: string[][] = []

  beforeAll(async () => {
    logs = await logsOf(programs.map(moduleOf))
  }, 60_000)

  it('has programs, and all of them print something', () => {
    expect(programs.length).toBeGreaterThan(10)
    expect(programs.filter(({ prints }) => prints.length === 0)).toEqual([])
  })

  it.each(programs.map((program, index) => [program.line, program, index] as const))(
    'shows what the program in line %i prints',
    (_, { prints }, index) => {
      expect(logs[index]).toEqual(prints)
    },
  )
})
