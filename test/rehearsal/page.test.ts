import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import { logsOf, programsOf, room, type PageProgram } from '../page-programs.ts'

const names = {
  testing: ['Faults', 'VirtualTime', 'callTool', 'inVirtualTime', 'noLeaks', 'rehearse', 'simulate'],
  scope: ['Scope', 'type Network', 'type Resource', 'type SocketEnd'],
  session: ['Agent', 'tool'],
}

/** The agent of the page, and a model in place of the reader's own. */
const prelude = `
import { z } from ${JSON.stringify(createRequire(import.meta.url).resolve('zod'))}
import { ScriptedLlm, type World } from ${room('testing')}
${Object.entries(names)
  .map(([name, imports]) => `import { ${imports.join(', ')} } from ${room(name)}`)
  .join('\n')}
const findSlot = tool({
  description: 'Find a free appointment',
  input: z.object({ day: z.string(), people: z.number().default(1) }),
  run: () => ({ hour: 10 }),
})
const desk = new Agent({ name: 'desk', instructions: 'You answer the phone.', tools: { findSlot } })
const yourModel = new ScriptedLlm({ answers: [[callTool('findSlot', { day: 'Monday' })], 'Monday at ten.'] })
`

/** The programs that are shown as files of `examples` have imports of their own, and print what the page does not show. */
const isExample = ({ code }: PageProgram): boolean => code.startsWith('import ')

describe('docs/testing.md', { timeout: 60_000 }, () => {
  const programs = programsOf('docs/testing.md').filter((program) => !isExample(program))
  let logs: string[][] = []

  beforeAll(async () => {
    logs = await logsOf(programs.map(({ code }) => `${prelude}\n${code}`))
  }, 60_000)

  it('has programs', () => {
    expect(programs.length).toBeGreaterThan(8)
  })

  it.each(programs.map((program, index) => [program.line, program, index] as const))(
    'shows what the program in line %i prints',
    (_, { prints }, index) => {
      expect(logs[index]).toEqual(prints)
    },
  )
})
