import { pbkdf2 } from 'node:crypto'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setInterval as intervals, setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Agent, AgentTask, tool } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedRealtime, ScriptedTts, type HuntResult } from '../../src/testing/index.ts'
import { z } from 'zod'
import { freePort } from '../free-port.ts'
import { agentFile, found, quickHunt, withTool } from './fixture.ts'

describe('the same seed', () => {
  const file = (): ReturnType<typeof withTool> => withTool(() => sleep(1_000 + Math.random() * 3_000))

  let first: HuntResult

  beforeAll(async () => {
    first = await quickHunt(file(), { seed: 7 })
  })

  it('[HN2] gives the same calls, findings and stories; another seed gives other calls', async () => {
    const second = await quickHunt(file(), { seed: 7 })
    const other = await quickHunt(file(), { seed: 8 })
    expect(second.cases).toEqual(first.cases)
    expect(second.findings.map(({ story }) => story)).toEqual(first.findings.map(({ story }) => story))
    expect(other.cases).not.toEqual(first.cases)
  })

  it('[HN2] replays one case, with its story and its report', async () => {
    const { findings } = first
    const { number } = findings[0]!.case
    const replay = await quickHunt(file(), { seed: 7, case: number })
    expect(replay.cases).toMatchObject([{ number, story: findings[0]!.story, report: findings[0]!.report }])
    expect(replay.findings).toMatchObject([{ kind: findings[0]!.kind, what: findings[0]!.what }])
  })

  it('[HN2] rejects the number of a case that does not exist', async () => {
    await expect(quickHunt(file(), { case: 9_999 })).rejects.toMatchObject({ code: 'HUNT' })
  })
})

describe('hunted code', () => {
  it('[HN4] has virtual timers and a virtual date, and no other code has', async () => {
    const globals = (): unknown[] => [Date, setTimeout, fetch, Math.random, Reflect.get(process, 'exit')]
    const outside = globals()
    const passed: number[] = []
    const result = await quickHunt(
      withTool(
        async (_, { signal }) => {
          const from = [Date.now(), new Date().getTime(), performance.now()] as const
          await promisify(setTimeout)(1_000)
          await sleep(1_000, undefined, { signal })
          await new Promise((resolve) => AbortSignal.timeout(1_000).addEventListener('abort', resolve))
          await intervals(500, undefined, { signal }).next()
          passed.push(Date.now() - from[0], new Date().getTime() - from[1], performance.now() - from[2])
        },
        { finishWithin: 5_000 },
      ),
    )
    expect(found(result)).toEqual([])
    expect(passed.length).toBeGreaterThan(0)
    expect(new Set(passed.map(Math.round))).toEqual(new Set([3_500]))
    expect(globals()).toEqual(outside)
  })

  it('[HN3] does not reach other machines: the hunt answers its requests, and refuses its connections', async () => {
    const answers: unknown[] = []
    const codes: unknown[] = []
    const file = withTool(async (_, { signal }) => {
      const response = await fetch('https://api.example/slots', { method: 'POST', body: 'x', signal })
      answers.push([response.status, await response.json()])
      await new Promise<void>((resolve) => {
        request('http://192.0.2.1/').once('error', (error: { code?: string }) => {
          codes.push(error.code)
          resolve()
        })
      })
    })
    const own = await quickHunt(file, { case: 2 })
    expect(answers[0]).toEqual([200, {}])
    expect(new Set(codes)).toEqual(new Set(['HUNT_OFFLINE']))
    expect(own.coverage).toContainEqual(
      expect.objectContaining({ what: "the tool 'work'", hosts: ['api.example', '192.0.2.1:80'] }),
    )
    answers.length = 0
    await quickHunt(file, { case: 2, fetch: () => Response.json({ slot: 10 }, { status: 201 }) })
    expect(answers[0]).toEqual([201, { slot: 10 }])
  })

  it('[HN3] never opens the models of the file, nor those of its agents', async () => {
    const llm = new ScriptedLlm()
    const tts = new ScriptedTts()
    await quickHunt(agentFile({ llm, tts }, { models: () => ({ llm, tts }) }), { case: 1 })
    expect([llm.counts.asked, tts.counts.asked]).toEqual([0, 0])
  })

  it('[HN4] may use a mock instead of a tool that must not run, and inputs of its own', async () => {
    const inputs: unknown[] = []
    const file = agentFile({
      tools: {
        pay: tool({ description: 'Pays', run: () => expect.unreachable('no money is spent') }),
        book: tool({
          description: 'Books',
          input: z.object({ day: z.string() }),
          run: (input) => void inputs.push(input),
        }),
      },
    })
    const result = await quickHunt(file, {
      case: 1,
      tools: { pay: { returns: 'paid' } },
      inputs: { book: [{ day: 'Friday' }] },
    })
    expect(found(result)).toEqual([])
    expect(inputs[0]).toEqual({ day: 'Friday' })
  })

  it('[HN6] is not blamed for tools that never ran, and the hunt says why they did not', async () => {
    const file = agentFile({
      tools: {
        pay: tool({
          description: 'Pays',
          input: z.object({ iban: z.string().regex(/^DE\d{20}$/) }),
          run: () => 'paid',
        }),
      },
    })
    const { coverage, findings } = await quickHunt(file, { case: 1 })
    expect(findings).toEqual([])
    expect(coverage).toContainEqual(
      expect.objectContaining({ what: "the tool 'pay'", runs: 0, why: expect.stringContaining('iban') }),
    )
  })
})

describe('an agent that needs a server on this machine', () => {
  it('[HN1] is not blamed if nothing listens there', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}/`
    const file = agentFile({}, { afterCall: { save: () => fetch(nowhere) } })
    const { findings, coverage } = await quickHunt(file, { case: 1 })
    expect(findings).toEqual([])
    expect(coverage).toContainEqual(
      expect.objectContaining({ what: "the after-call handler 'save'", runs: 1, failed: 1 }),
    )
  })
})

describe('an agent that waits for something real', () => {
  let server: Server
  let url = ''

  beforeAll(async () => {
    server = createServer((_, response) => void sleep(20).then(() => response.end('{"slot":10}')))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })

  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })

  it('[HN4] gets real time for it: a request to this machine, and work in native threads', async () => {
    const slots: unknown[] = []
    const file = agentFile({
      tools: {
        ask: tool({
          description: 'Asks',
          run: async (_, { signal }) => {
            const limit = AbortSignal.any([signal, AbortSignal.timeout(5_000)])
            slots.push(await (await fetch(url, { signal: limit })).json())
          },
        }),
        hash: tool({
          description: 'Hashes',
          run: async () => {
            await promisify(pbkdf2)('password', 'salt', 1_000, 64, 'sha512')
          },
        }),
      },
    })
    const result = await quickHunt(file)
    expect(found(result)).toEqual([])
    expect(slots[0]).toEqual({ slot: 10 })
    expect(result.coverage.filter(({ isReal }) => isReal).map(({ what }) => what)).toEqual([
      "the tool 'ask'",
      "the tool 'hash'",
    ])
  })
})

describe('the conversations of a hunt', () => {
  const names = async (file: ReturnType<typeof agentFile>): Promise<string[]> => {
    const { cases, findings } = await quickHunt(file)
    expect(findings).toEqual([])
    return [...new Set(cases.map(({ conversation }) => conversation))]
  }
  const done = tool({ description: 'Works', run: () => 'done' })

  it('[HN1] have every tool of every agent that can be reached, by handoff and in nested tasks', async () => {
    const billing = new Agent({ name: 'billing', instructions: 'Bills.', tools: { look: done } })
    const ask = new AgentTask<string>({
      name: 'ask',
      instructions: 'Ask.',
      tools: (end) => ({ save: tool({ description: 'Saves', run: () => end('Ada') }) }),
    })
    const file = agentFile({
      tools: {
        transfer: tool({ description: 'Transfers', run: () => billing }),
        name: tool({ description: 'Asks', timeout: 60_000, run: (_, { run }) => run(ask) }),
        pay: tool({ description: 'Pays', approval: true, run: () => 'paid' }),
      },
    })
    expect(await names(file)).toEqual([
      'no tools',
      'transfer',
      'name',
      'pay',
      'transfer → look',
      'name → save',
      'spoken, transfer → name',
    ])
  })

  it('[HN1] go in and out, and take place with a realtime model if the file has one', async () => {
    const file = agentFile(
      {},
      {
        agent: ({ direction }) =>
          new Agent({
            name: direction,
            instructions: 'Talk.',
            tools: direction === 'inbound' ? { done } : {},
          }),
        models: () => ({ realtime: new ScriptedRealtime() }),
        session: { turns: { mode: 'realtime' } },
      },
    )
    expect(await names(file)).toEqual(['no tools', 'done', 'a call out, no tools'])
  })

  it('[HN1] cannot begin with an agent that cannot take a call', async () => {
    const file = agentFile({ toolsets: [{ name: 'crm', open: () => Promise.reject(new Error('no CRM')) }] })
    await expect(quickHunt(file)).rejects.toMatchObject({
      code: 'HUNT',
      message: expect.stringContaining('no CRM'),
    })
  })
})
