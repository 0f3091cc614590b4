import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import { logsOf, programsOf, room, type PageProgram } from '../page-programs.ts'

const zod = JSON.stringify(createRequire(import.meta.url).resolve('zod'))

/** The imports that the page leaves out, its agent, and a model in place of the reader's own. */
const prelude = `
import { z } from ${zod}
import { Agent, Scope, tool } from ${room('.')}
import type { Network, Resource, SocketEnd } from ${room('scope')}
import {
  Faults, ScriptedLlm, VirtualTime, callTool, inVirtualTime, noLeaks, rehearse, simulate, type World,
} from ${room('testing')}
const findSlot = tool({
  description: 'Find a free appointment',
  input: z.object({ day: z.string(), people: z.number().default(1) }),
  run: () => ({ hour: 10 }),
})
const desk = new Agent({ name: 'desk', instructions: 'You answer the phone.', tools: { findSlot } })
const yourModel = new ScriptedLlm({ answers: [[callTool('findSlot', { day: 'Monday' })], 'Monday at ten.'] })
`

/** The program as a module that uses the source instead of the package. Programs with imports are complete. */
function moduleOf({ code }: PageProgram): string {
  if (!code.startsWith('import ')) return `${prelude}\n${code}`
  return code
    .replace(`'endwell'`, room('.'))
    .replace(`'endwell/scope'`, room('scope'))
    .replace(`'endwell/testing'`, room('testing'))
    .replace(`'zod'`, zod)
}

describe('docs/testing.md', () => {
  const programs = programsOf('docs/testing.md')
  let logs: string[][] = []

  beforeAll(async () => {
    logs = await logsOf(programs.map(moduleOf))
  }, 60_000)

  it('has programs', () => {
    expect(programs.length).toBeGreaterThan(10)
  })

  it.each(programs.map((program, index) => [program.line, program, index] as const))(
    'shows what the program in line %i prints',
    (_, { prints }, index) => {
      expect(logs[index]).toEqual(prints)
    },
  )
})
