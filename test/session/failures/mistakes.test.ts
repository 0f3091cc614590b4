import { pcm } from '../../../src/audio/index.ts'
import { describe, expect, it } from 'vitest'
import type { Line } from '../../../src/parts/index.ts'
import { Agent, Session, tool, type SessionOptions } from '../../../src/session/index.ts'
import { callTool, inVirtualTime, ScriptedLlm, ScriptedTts, TestLine } from '../../../src/testing/index.ts'
import { aCall, aLiveCall, expectEnded, never } from '../fixture.ts'

const options = (): SessionOptions => ({
  agent: new Agent({ instructions: '' }),
  models: { llm: new ScriptedLlm(), tts: new ScriptedTts() },
  line: new TestLine(),
})

describe('a mistake in the options', () => {
  it.each([
    ['closeTimeout', '5000', "closeTimeout must be a finite number, 0 or more; it is the string '5000'"],
    ['idleTimeout', Number.NaN, 'idleTimeout must be a finite number, 0 or more; it is NaN'],
    ['maxFailures', -1, 'maxFailures must be a finite number, 0 or more; it is -1'],
    ['agent', { instructions: 'Be brief.' }, 'agent must be an Agent: make it with new Agent('],
    ['line', TestLine, 'line is not a part: it has no open()'],
    ['models', { llm: new ScriptedLlm() }, 'models need an llm and a tts'],
    ['models', { llm: 'gpt-5', tts: new ScriptedTts() }, 'llm is not a part: it has no open()'],
  ])('[FA7] %s: %j is an error at once', (name, value, message) => {
    expect(() => new Session({ ...options(), [name]: value })).toThrow(message)
  })

  it('[FA7] of a tool is an error at once', () => {
    const jsonSchema = { type: 'object', properties: {} } as never
    expect(() => tool({ description: '', input: jsonSchema, run: () => '' })).toThrow(
      'pass a JSON Schema as parameters',
    )
    expect(() => tool({ description: '', run: undefined as never })).toThrow('run must be a function')
  })
})

describe('a close', () => {
  it.each([
    ['an unknown reason', { reason: 'banana' }, 1],
    ['an object as reason', { reason: { why: 'I want to' } }, 1],
    ['a string as closeTimeout', { closeTimeout: '5000' }, 0],
    ['null', null, 0],
  ])('[FA7] [SC2] with %s closes all the same', (_, wrong, errors) =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      const report = await call.session.close(wrong as never)
      expect(report).toMatchObject({ reason: 'requested', closeTimeout: 5_000, errorCount: errors })
      expectEnded(call)
    }),
  )
})

describe('a part that lacks a method', () => {
  const rates = [pcm(16_000)]
  const odd = { name: 'odd', hears: rates, speaks: rates }
  const parts: [name: 'line' | 'stt' | 'tts' | 'llm', part: unknown, message: string][] = [
    [
      'line',
      { ...odd, hears: rates[0], speaks: rates[0], open: async () => ({ play() {}, mark() {} }) },
      'the line has no method clear()',
    ],
    ['stt', { ...odd, endsTurns: true, open: async () => ({ push() {} }) }, 'the stt has no method flush()'],
    ['tts', { ...odd, open: async () => undefined }, 'the tts has no method speak()'],
    ['llm', { name: 'odd', open: async () => ({}) }, 'the llm has no method generate()'],
  ]

  it.each(parts)('[FA7] fails the start, and is named: %s', (name, part, message) =>
    inVirtualTime(async ({ clock, random }) => {
      const { line, models, agent } = options()
      const session = new Session({
        agent,
        clock,
        random,
        ...(name === 'line' ? { line: part as Line, models } : { line, models: { ...models, [name]: part } }),
      })
      await expect(session.start()).rejects.toThrow(message)
      expect(await session.closed).toMatchObject({ reason: 'start-failed', ended: 'failed' })
    }),
  )
})

describe('a start that takes too long', () => {
  it('[FA7] names what has not opened', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { startTimeout: 3_000 })
      call.faults.set('open:tts', 'hang')
      call.faults.set('open:stt', 'hang')
      await expect(call.session.start()).rejects.toThrow(
        /^(stt, tts|tts, stt) did not open within startTimeout = 3000 ms/,
      )
      await call.session.closed
      expectEnded(call)
    }))
})

describe('a handoff', () => {
  it('[FA8] shows the name of the next agent, and not its instructions', () =>
    inVirtualTime(async (world) => {
      const secret = 'Never tell anybody about the discount.'
      const next = new Agent({ name: 'billing', instructions: secret })
      const tools = { put: tool({ description: 'Put through', run: () => next }) }
      const call = await aLiveCall(world, { agent: { tools }, answers: [[callTool('put')]] })
      const events: unknown[] = []
      call.session.on('tool-done', (event) => events.push(event))
      call.session.on('handoff', (event) => events.push(event))
      call.caller.types('Billing, please')
      await world.clock.elapse(1_000)
      expect(events).toMatchObject([{ outcome: { output: 'handed over to billing' } }, { to: 'billing' }])
      expect(JSON.stringify([events, await call.session.close()])).not.toContain('discount')
      expectEnded(call)
    }))
})

describe('after-call work', () => {
  it('[CL5] that ignores its signal takes no longer than afterCallTimeout', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { afterCall: never, afterCallTimeout: 200 })
      await call.session.close()
      const closedAt = world.clock.now()
      await call.session.afterCall
      expect(world.clock.now() - closedAt).toBeLessThanOrEqual(300)
    }))
})

describe('a listener that closes the session', () => {
  it('[CL5] while a turn interrupts queued speech throws nothing into the line', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: ['Hello.'] })
      call.session.say('One.')
      call.session.say('Two.')
      call.session.on('spoken', () => void call.session.close())
      await world.clock.elapse(100)
      call.caller.types('Stop!')
      const report = await call.session.closed
      expect(report.errors).toEqual([])
      expectEnded(call)
    }))

  it('[CL10] may be followed by a timer of the application that speaks', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      let outcome: unknown
      world.clock.after(
        1_000,
        'application',
        () => void (outcome = call.session.say('Are you there?').outcome),
      )
      call.caller.hangsUp()
      await world.clock.elapse(2_000)
      expect(outcome).toMatchObject({ how: 'failed', error: { code: 'SESSION_CLOSED' } })
    }))
})
