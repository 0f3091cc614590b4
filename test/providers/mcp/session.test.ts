import { describe, expect, it } from 'vitest'

import { mcpTools } from '../../../src/providers/mcp/index.ts'
import { Agent, SessionClosedError, type SessionReport } from '../../../src/session/index.ts'
import { callTool } from '../../../src/testing/index.ts'
import { aPromise, said } from '../../session/fixture.ts'
import { aRealCall, Witness } from './fixture.ts'
import { HttpServerUnderTest } from './http-server.ts'

/** Expects that the session closed on time and that no server process is left. */
function expectClosed({ took, closeTimeout }: SessionReport, witness: Witness): void {
  expect(took).toBeLessThanOrEqual(closeTimeout)
  expect(witness.processes).not.toEqual([])
  expect(witness.alive).toEqual([])
}

/** How the connections to the MCP server ended. */
const servers = ({ connections }: SessionReport): SessionReport['connections'] =>
  connections.filter(({ name }) => name === 'crm')

/** Long enough for a polite server on a busy machine. */
const patient = { endTimeout: 3_000 }
/** Short, for a server that does not end anyway. */
const strict = { endTimeout: 200 }

describe('a session with the tools of a server process', () => {
  it('[TL7] uses them like its own tools and leaves no process behind', async () => {
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
    expectClosed(report, witness)
    expect(report.clean).toBe(true)
    expect(servers(report)).toMatchObject([{ name: 'crm', how: 'acknowledged', code: 0 }])
  })

  it('[TL7] continues when the server dies during a call, and the next call starts it again', async () => {
    const witness = await Witness.listen()
    const { session } = aRealCall(
      [mcpTools({ ...witness.server(), ...patient })],
      [[callTool('die')], [callTool('echo', { text: 'back' })], 'There it is.'],
    )
    await session.start()
    await session.reply().waitForPlayout()
    expect(said(session)).toEqual([
      "die → 'crm' ended during the call: it ended with exit code 7. It is unknown how much of the call was done",
      'echo → back',
      'agent: There it is.',
    ])
    const report = await session.close()
    expectClosed(report, witness)
    expect(servers(report)).toMatchObject([
      { how: 'dropped', code: 7 },
      { how: 'acknowledged', retries: 1 },
    ])
    expect(report.clean).toBe(false)
  })

  it('[TL7] fails to start if its server does, and leaves no process behind', async () => {
    const witness = await Witness.listen()
    const { session } = aRealCall([mcpTools(witness.server('dies-at-once'))], [])
    await expect(session.start()).rejects.toMatchObject({ code: 'MCP_START_FAILED' })
    const report = await session.close()
    // The start may fail before this process has read what the server reported.
    await witness.events.waitFor('disconnected')
    expectClosed(report, witness)
    expect(report).toMatchObject({ reason: 'start-failed', error: { code: 'MCP_START_FAILED' } })
  })

  it('[TL7] ends the server process of an agent that hands over', async () => {
    const witness = await Witness.listen()
    const { session } = aRealCall([mcpTools({ ...witness.server(), ...patient })], [])
    await session.start()
    expect(witness.alive).toHaveLength(1)
    await session.handOff(new Agent({ name: 'billing', instructions: 'You answer questions about bills.' }))
    await witness.events.waitFor('disconnected')
    const report = await session.close()
    expectClosed(report, witness)
    expect(report.clean).toBe(true)
  })
})

describe.each([
  { kind: 'a polite server', manners: [], options: patient, clean: true, how: 'acknowledged' },
  {
    kind: 'a server that ignores its end',
    manners: ['ignores-end'],
    options: strict,
    clean: false,
    how: 'aborted',
  },
])('a session that is closed with $kind', ({ manners, options, clean, how }) => {
  it.each([
    ['while connecting', 'never-answers', 'received input'],
    ['while listing tools', 'hangs-in-list', 'list 0'],
  ])('[TL7] %s closes on time and leaves no process behind', async (_, manner, moment) => {
    const witness = await Witness.listen()
    const { session } = aRealCall([mcpTools({ ...witness.server(manner, ...manners), ...options })], [])
    const started = session.start()
    await witness.events.waitFor(moment)
    const report = await session.close()
    expectClosed(report, witness)
    await expect(started).rejects.toThrow(SessionClosedError)
    expect(report.scope.clean).toBe(clean)
    expect(servers(report)).toMatchObject([{ how }])
  })

  it('[TL7] during a call closes on time and leaves no process behind', async () => {
    const witness = await Witness.listen()
    const toolset = mcpTools({ ...witness.server(...manners), ...options })
    const { session } = aRealCall([toolset], [[callTool('wait')]])
    await session.start()
    session.reply()
    await witness.events.waitFor('call wait')
    const report = await session.close()
    expectClosed(report, witness)
    expect(report.clean).toBe(clean)
    expect(servers(report)).toMatchObject([{ how }])
    // A rude server may have been killed before it could report that.
    if (clean) await witness.events.waitFor('cancelled wait')
    expect(said(session)).toEqual(["wait → 'wait' was cancelled"])
  })

  it('[TL7] while idle closes on time and leaves no process behind', async () => {
    const witness = await Witness.listen()
    const { session } = aRealCall([mcpTools({ ...witness.server(...manners), ...options })], [])
    await session.start()
    const report = await session.close()
    expectClosed(report, witness)
    expect(report.clean).toBe(clean)
    expect(servers(report)).toMatchObject([{ how }])
  })

  it('[TL7] while restarting its server closes on time and leaves no process behind', async () => {
    const witness = await Witness.listen()
    const toolset = mcpTools({ ...witness.server(...manners), ...options })
    const { session } = aRealCall([toolset], [[callTool('die')], [callTool('echo', { text: 'hello' })]])
    await session.start()
    session.reply()
    await witness.events.waitFor(/^pid/, 2)
    const report = await session.close()
    expectClosed(report, witness)
    expect(servers(report)).toMatchObject([{ how: 'dropped' }, { retries: 1 }])
  })
})

describe('a session with the tools of a server at a URL', () => {
  const expectClosedAt = async (server: HttpServerUnderTest, report: SessionReport): Promise<void> => {
    const { length } = server.requests
    expect(report.took).toBeLessThanOrEqual(report.closeTimeout)
    await server.events.until(() => server.open === 0)
    expect(server.sessions).toBe(0)
    expect(server.requests).toHaveLength(length)
  }

  it('[TL7] uses them like its own tools and ends its session at the server', async () => {
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
    await expectClosedAt(server, report)
  })

  it.each(['initialize', 'tools/list', 'tools/call'])(
    '[TL7] that closes during %s aborts its requests and sends no others',
    async (rpcMethod) => {
      const server = await HttpServerUnderTest.listen({
        intercept: (request) => request.rpcMethod === rpcMethod,
      })
      const { session } = aRealCall([mcpTools({ name: 'crm', url: server.url })], [[callTool('wait')]])
      session.start().then(
        () => session.reply(),
        () => {},
      )
      await server.events.waitFor(`POST ${rpcMethod}`)
      const report = await session.close()
      expect(report.scope.clean).toBe(true)
      await expectClosedAt(server, report)
    },
  )

  it('[TL1] [TL7] lets a call with finishWithin finish before it ends its session at the server', async () => {
    const gate = aPromise()
    const server = await HttpServerUnderTest.listen({ gate: gate.promise })
    const { session } = aRealCall(
      [mcpTools({ name: 'crm', url: server.url, call: { finishWithin: 2_000 } })],
      [[callTool('gated')]],
    )
    await session.start()
    session.reply()
    await server.events.waitFor('call gated')
    const closed = session.close()
    gate.resolve()
    const report = await closed
    expect(said(session)).toEqual(['gated → through the gate'])
    await expectClosedAt(server, report)
    expect(report.clean).toBe(true)
  })
})
