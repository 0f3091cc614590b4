import { describe, expect, it } from 'vitest'
import type { PartContext } from '../../../src/parts/index.ts'
import { formatSession, tool, type SessionReport } from '../../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../../src/testing/index.ts'
import { aCall, aLogger, expectEnded, never, type CallOptions } from '../fixture.ts'

/** A complete call with one turn and one tool call. */
async function aCompleteCall(world: World, options: CallOptions = {}) {
  const call = aCall(world, {
    answers: [
      [{ type: 'usage', usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 50 } }, callTool('look')],
      ['Six o’clock.', { type: 'usage', usage: { inputTokens: 130, outputTokens: 10 } }],
    ],
    agent: { tools: { look: tool({ description: 'Looks', run: () => 18 }) } },
    ...options,
  })
  await call.session.start()
  await call.caller.says('When do you close?')
  await call.caller.pauses(1_000)
  await call.caller.hears('Six o’clock.')
  await world.clock.elapse(1_000)
  return call
}

const namesOf = ({ scope }: SessionReport): Record<string, string> => {
  const found: Record<string, string> = {}
  const walk = ({ steps, tasks, children }: SessionReport['scope']): void => {
    for (const { name, outcome } of [...steps, ...tasks]) found[name] = outcome
    for (const { report } of children) walk(report)
  }
  walk(scope)
  return found
}

describe('the report of a session', () => {
  it('[CL13] says who closed it, why, when and how long that took, and what was used and said', () =>
    inVirtualTime(async (world) => {
      const call = await aCompleteCall(world)
      const closedAt = world.clock.now()
      const report = await call.session.close({
        reason: 'host-draining',
        by: 'the host',
        closeTimeout: 4_000,
      })
      expect(report).toMatchObject({
        version: 1,
        id: 'test',
        reason: 'host-draining',
        by: 'the host',
        startedAt: '2026-01-01T00:00:00.000Z',
        askedAt: new Date(Date.UTC(2026, 0, 1) + closedAt).toISOString(),
        lived: closedAt,
        took: 0,
        closeTimeout: 4_000,
        clean: true,
        alsoAsked: [],
        usage: { inputTokens: 230, outputTokens: 30, cachedTokens: 50, toolCalls: 1, turns: 1 },
      })
      expect(report.error).toBeUndefined()
      expect(report.turns).toHaveLength(1)
      // From the end of the words to the first sound, which is the endpointing delay here.
      expect(report.turns[0]).toMatchObject({ latency: 500, at: 900 })
      expect(report.transcript).toEqual(call.session.history.items)
      expect(report.transcript).toHaveLength(3)
      expect(namesOf(report)).toEqual({ line: 'done', llm: 'done', tts: 'done', stt: 'done', vad: 'done' })
    }))

  it('[CL13] is plain JSON, frozen, and the same object for every caller', () =>
    inVirtualTime(async (world) => {
      const call = await aCompleteCall(world)
      const report = await call.session.close()
      expect(JSON.parse(JSON.stringify(report))).toEqual(report)
      expect(await call.session.close()).toBe(report)
      expect(call.reports[0]).toBe(report)
      for (const part of [
        report,
        report.usage,
        report.connections,
        report.connections[0],
        report.turns,
        report.turns[0],
        report.alsoAsked,
        report.transcript,
        report.transcript[0],
        report.scope,
      ])
        expect(Object.isFrozen(part)).toBe(true)
    }))

  it('[CL13] lists every connection and how it ended', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { closeHangs: true } })
      await call.session.start()
      const report = await call.session.close()
      expect(report.connections.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
        { name: 'line', how: 'closed', retries: 0 },
        { name: 'stt', how: 'aborted', retries: 0 },
        { name: 'tts', how: 'closed', retries: 0 },
      ])
      expect(report.clean).toBe(false)
    }))

  it('[CL13] tells a caller who was lost from a close that went wrong', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      call.caller.vanishes()
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ clean: true, reason: 'caller-lost', ended: 'lost' })
      expect(call.reports[0]?.connections).toContainEqual({ name: 'line', how: 'dropped', retries: 0 })
    }))

  it('[CL13] lists every step and task with its outcome', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, {
        answers: [['Hm. ', callTool('look')]],
        stt: { closeHangs: true, finalAfter: 'never' },
        tts: { closeFails: new Error('reset by peer') },
        agent: { tools: { look: tool({ description: 'Looks', run: never }) }, onExit: never },
      })
      await call.session.start()
      call.caller.types('Hello?')
      await world.clock.elapse(2_000)
      call.caller.says('and').catch(() => {})
      await world.clock.elapse(150)
      const report = await call.session.close()
      expect(namesOf(report)).toMatchObject({
        'last words': 'done',
        look: 'abandoned',
        "exit hook of 'desk'": 'abandoned',
        stt: 'timed-out',
        tts: 'failed',
        line: 'done',
        llm: 'done',
      })
      expect(report.clean).toBe(false)
      expectEnded(call)
    }))

  it('[CL13] has the error of a session that failed', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      call.stt.fail(new TypeError('no such model'))
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({
        reason: 'error',
        by: 'stt',
        clean: false,
        error: { name: 'TypeError', message: 'no such model' },
      })
    }))

  it('[CL13] is printed without the transcript by default', () =>
    inVirtualTime(async (world) => {
      const call = await aCompleteCall(world)
      const report = await call.session.close()
      const text = formatSession(report)
      expect(text).toContain('✓ session test · clean')
      expect(text).toContain(
        'session test · requested · 1 turns · 1 tool calls · 230 tokens in · 30 tokens out',
      )
      expect(text).toContain('answered after 500 ms in the median, 500 ms at most')
      expect(text).toContain('stt: closed')
      expect(text).not.toContain('When do you close?')
      const withTranscript = formatSession(report, { transcript: true })
      expect(withTranscript).toContain('user: When do you close?')
      expect(withTranscript).toContain('look({}) → 18')
      expect(withTranscript).toContain('agent: Six o’clock.')
    }))

  it('[CL13] is printed as not clean, and with the error, after a failure', () =>
    inVirtualTime(async (world) => {
      const broken = aCall(world, { llm: { openFails: new Error('401 Unauthorized') } })
      await expect(broken.session.start()).rejects.toThrow('401')
      await broken.session.afterCall
      expect(formatSession(broken.reports[0]!)).toContain('Error: 401 Unauthorized')
    }))
})

describe('the log of a close', () => {
  it('[CL13] has the reason, each slow or forced step, and the result', () =>
    inVirtualTime(async (world) => {
      const { logger, lines } = aLogger()
      const call = aCall(world, { logger, stt: { closeHangs: true }, tts: { closeTakes: 1_200 } })
      await call.session.start()
      await call.session.close({ by: 'me' })
      expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
        'info session closing',
        'warn a step of the close was forced or failed',
        'info a step of the close was slow',
        'info session closed',
      ])
      const [closing, ...rest] = lines.map(({ fields }) => fields)
      expect(closing).toEqual({ session: 'test', reason: 'requested', by: 'me' })
      expect(rest).toMatchObject([
        { step: 'stt', outcome: 'timed-out' },
        { step: 'tts', outcome: 'done', took: 1_200 },
        { reason: 'requested', took: 4_750, clean: false },
      ])
    }))

  it('[CL13] has no error for a requested close, and one for a failed model', () =>
    inVirtualTime(async (world) => {
      for (const [options, levels] of [
        [{}, ['info', 'info']],
        [{ stt: { finalAfter: 100 } }, ['info', 'info']],
      ] as const) {
        const { logger, lines } = aLogger()
        const call = aCall(world, { logger, ...options })
        await call.session.start()
        call.caller.says('hello').catch(() => {})
        await world.clock.elapse(200)
        call.session.say('This goes on.')
        call.caller.hangsUp()
        await call.session.afterCall
        expect(lines.map(({ level }) => level)).toEqual(levels)
      }
      const { logger, lines } = aLogger()
      const call = aCall(world, { logger })
      await call.session.start()
      call.stt.fail()
      await call.session.afterCall
      expect(lines.map(({ level }) => level)).toEqual(['error', 'info', 'info'])
    }))

  it.each([
    ['acknowledged', true],
    ['closed', true],
    ['aborted', false],
    ['dropped', false],
  ] as const)('[CL13] a connection that was %s makes `clean` %s', (how, clean) =>
    inVirtualTime(async (world) => {
      const crm = {
        name: 'crm',
        open: async ({ ended }: PartContext) => {
          ended({ name: 'crm', how, retries: 0 })
          return {}
        },
      }
      const call = aCall(world, { agent: { toolsets: [crm] } })
      await call.session.start()
      const report = await call.session.close()
      expect(report.clean).toBe(clean)
      expect(report.connections).toContainEqual({ name: 'crm', how, retries: 0 })
    }),
  )
})
