import { describe, expect, it } from 'vitest'

import { mcpTools } from '../../src/providers/mcp/index.ts'
import { Agent, SessionClosedError, type SessionReport } from '../../src/session/index.ts'
import { callTool } from '../../src/testing/index.ts'
import { aPromise, said } from '../session/fixture.ts'
import { aRealCall, Witness } from './mcp-fixture.ts'
import { HttpServerUnderTest } from './mcp-http-server.ts'

/** On time, and nothing of any server left. */
function expectOver({ took, closeTimeout }: SessionReport, witness: Witness): void {
  expect(took).toBeLessThanOrEqual(closeTimeout)
  expect(witness.processes).not.toEqual([])
  expect(witness.alive).toEqual([])
}

/** How the connections to servers of tools ended. */
const servers = ({ connections }: SessionReport): SessionReport['connections'] =>
  connections.filter(({ name }) => name === 'crm')

/** Long enough for a polite server on a machine with other things to do. */
const patient = { endTimeout: 3_000 }
/** Short enough for a rude one. */
const strict = { endTimeout: 200 }

describe('a session with the tools of a process', () => {
  it('[TL7] uses them like its own, and leaves nothing of the server', async () => {
    const witness = await Witness.listen()
    const tools = mcpTools({
      ...witness.server(),
      ...patient,
      prefix: 'crm_',
      only: ['echo', 'fail', 'steps'],
    })
    const { session, llm } = aRealCall(
      [tools],
      [[callTool('crm_echo', { text: 'ten' }), callTool('crm_fail'), callTool('crm_steps')], 'Ten.'],
    )
    const updates: string[] = []
    session.on('progress', ({ update }) => updates.push(update))
    await session.start()
    await session.reply().waitForPlayout()
    expect(llm.requests[0]?.tools).toMatchObject([
      { name: 'crm_echo', description: 'Say it again', parameters: { required: ['text'] } },
      { name: 'crm_fail' },
      { name: 'crm_steps' },
    ])
    expect(said(session)).toEqual([
      'crm_echo → ten',
      'crm_fail → there is no such customer',
      'crm_steps → there',
      'agent: Ten.',
    ])
    expect(updates).toEqual(['1/3', 'nearly there', '3'])
    const report = await session.close()
    expectOver(report, witness)
    expect(report.clean).toBe(true)
    expect(servers(report)).toMatchObject([{ name: 'crm', how: 'acknowledged', code: 0 }])
  })

  it('[TL7] goes on when the server has died in a call, and the next call starts it again', async () => {
    const witness = await Witness.listen()
    const { session } = aRealCall(
      [mcpTools({ ...witness.server(), ...patient })],
      [[callTool('die')], [callTool('echo', { text: 'back' })], 'There it is.'],
    )
    await session.start()
    await session.reply().waitForPlayout()
    expect(said(session)).toEqual([
      "die → 'crm' is gone: it ended with exit code 7. Nobody knows how far the call came",
      'echo → back',
      'agent: There it is.',
    ])
    const report = await session.close()
    expectOver(report, witness)
    expect(servers(report)).toMatchObject([
      { how: 'dropped', code: 7 },
      { how: 'acknowledged', retries: 1 },
    ])
    expect(report.clean).toBe(false)
  })

  it('[TL7] fails to start with a server that does, and leaves nothing of it', async () => {
    const witness = await Witness.listen()
    const { session } = aRealCall([mcpTools(witness.server('dies-at-once'))], [])
    await expect(session.start()).rejects.toMatchObject({ code: 'MCP_START_FAILED' })
    const report = await session.close()
    expectOver(report, witness)
    expect(report).toMatchObject({ reason: 'start-failed', error: { code: 'MCP_START_FAILED' } })
  })

  it('[TL7] ends the server of an agent that hands over', async () => {
    const witness = await Witness.listen()
    const { session } = aRealCall([mcpTools({ ...witness.server(), ...patient })], [])
    await session.start()
    expect(witness.alive).toHaveLength(1)
    await session.handOff(new Agent({ name: 'billing', instructions: 'You answer questions about bills.' }))
    await witness.events.told('gone')
    const report = await session.close()
    expectOver(report, witness)
    expect(report.clean).toBe(true)
  })
})

describe.each([
  { kind: 'a polite server', manners: [], options: patient, clean: true, how: 'acknowledged' },
  {
    kind: 'one that ignores its end',
    manners: ['ignores-end'],
    options: strict,
    clean: false,
    how: 'aborted',
  },
])('a session that is closed with $kind', ({ manners, options, clean, how }) => {
  it.each([
    ['while it connects', 'never-answers', 'hears'],
    ['while it lists its tools', 'hangs-in-list', 'list 0'],
  ])('[TL7] %s is over on time, and the process is gone', async (_, manner, moment) => {
    const witness = await Witness.listen()
    const { session } = aRealCall([mcpTools({ ...witness.server(manner, ...manners), ...options })], [])
    const started = session.start()
    await witness.events.told(moment)
    const report = await session.close()
    expectOver(report, witness)
    await expect(started).rejects.toThrow(SessionClosedError)
    expect(report.scope.clean).toBe(clean)
    expect(servers(report)).toMatchObject([{ how }])
  })

  it('[TL7] in the middle of a call is over on time, and the process is gone', async () => {
    const witness = await Witness.listen()
    const toolset = mcpTools({ ...witness.server(...manners), ...options })
    const { session } = aRealCall([toolset], [[callTool('wait')]])
    await session.start()
    session.reply()
    await witness.events.told('call wait')
    const report = await session.close()
    expectOver(report, witness)
    expect(report.clean).toBe(clean)
    expect(servers(report)).toMatchObject([{ how }])
    // A rude one may have been killed before it could say so.
    if (clean) await witness.events.told('cancelled wait')
    expect(said(session)).toEqual(["wait → 'wait' was cancelled"])
  })

  it('[TL7] while it is idle is over on time, and the process is gone', async () => {
    const witness = await Witness.listen()
    const { session } = aRealCall([mcpTools({ ...witness.server(...manners), ...options })], [])
    await session.start()
    const report = await session.close()
    expectOver(report, witness)
    expect(report.clean).toBe(clean)
    expect(servers(report)).toMatchObject([{ how }])
  })

  it('[TL7] while it is started again is over on time, and every process is gone', async () => {
    const witness = await Witness.listen()
    const toolset = mcpTools({ ...witness.server(...manners), ...options })
    const { session } = aRealCall([toolset], [[callTool('die')], [callTool('echo', { text: 'hello' })]])
    await session.start()
    session.reply()
    await witness.events.told(/^pid/, 2)
    const report = await session.close()
    expectOver(report, witness)
    expect(servers(report)).toMatchObject([{ how: 'dropped' }, { retries: 1 }])
  })
})

describe('a session with the tools of a server behind an address', () => {
  const closedIn = async (server: HttpServerUnderTest, report: SessionReport): Promise<void> => {
    const { length } = server.seen
    expect(report.took).toBeLessThanOrEqual(report.closeTimeout)
    await server.events.until(() => server.open === 0)
    expect(server.sessions).toBe(0)
    expect(server.seen).toHaveLength(length)
  }

  it('[TL7] uses them like its own, and ends its session there', async () => {
    const server = await HttpServerUnderTest.listen()
    const { session } = aRealCall(
      [mcpTools({ name: 'crm', url: server.url })],
      [[callTool('echo', { text: 'ten' })], 'Ten.'],
    )
    await session.start()
    await session.reply().waitForPlayout()
    expect(said(session)).toEqual(['echo → ten', 'agent: Ten.'])
    const report = await session.close()
    expect(report.clean).toBe(true)
    expect(servers(report)).toMatchObject([{ how: 'acknowledged' }])
    await closedIn(server, report)
  })

  it.each(['initialize', 'tools/list', 'tools/call'])(
    '[TL7] is closed in the middle of %s: all is aborted there, and nothing comes after',
    async (wants) => {
      const server = await HttpServerUnderTest.listen({ takes: (request) => request.wants === wants })
      const { session } = aRealCall([mcpTools({ name: 'crm', url: server.url })], [[callTool('wait')]])
      session.start().then(
        () => session.reply(),
        () => {},
      )
      await server.events.told(`POST ${wants}`)
      const report = await session.close()
      expect(report.scope.clean).toBe(true)
      await closedIn(server, report)
    },
  )

  it('[TL1] [TL7] lets a call finish that may finish, and ends the server after it', async () => {
    const gate = aPromise()
    const server = await HttpServerUnderTest.listen({ gate: gate.promise })
    const { session } = aRealCall(
      [mcpTools({ name: 'crm', url: server.url, call: { finishWithin: 2_000 } })],
      [[callTool('gated')]],
    )
    await session.start()
    session.reply()
    await server.events.told('call gated')
    const closed = session.close()
    gate.resolve()
    const report = await closed
    expect(said(session)).toEqual(['gated → through the gate'])
    await closedIn(server, report)
    expect(report.clean).toBe(true)
  })
})
