import { describe, expect, it } from 'vitest'
import type { Llm } from '../../../src/parts/index.ts'
import { Agent, Session } from '../../../src/session/index.ts'
import { ScriptedTts, ScriptedVad, TestLine, inVirtualTime, type World } from '../../../src/testing/index.ts'
import { aRealtimeCall } from '../answering/realtime-fixture.ts'
import { aLiveCall, expectEnded } from '../fixture.ts'

/** Words without end, and without ever waiting. */
async function* endless(piece: string): AsyncGenerator<string> {
  for (;;) yield piece
}

/** A model that yields this chunk without end, until it is asked to stop. */
function endlessLlm(chunk: unknown) {
  const signals: AbortSignal[] = []
  const llm: Llm = {
    name: 'endless',
    open: async () => ({
      async *generate(_, signal) {
        signals.push(signal)
        while (!signal.aborted) yield chunk as never
      },
    }),
  }
  return { llm, signals }
}

async function aCallWith(world: World, llm: Llm, options: { readonly answerTimeout?: number } = {}) {
  const session = new Session({
    ...options,
    agent: new Agent({ instructions: '' }),
    models: { llm, tts: new ScriptedTts(), vad: new ScriptedVad() },
    line: new TestLine(),
    turns: { mode: 'manual' },
    apology: { again: '' },
    clock: world.clock,
    random: world.random,
  })
  await session.start()
  return session
}

describe('an answer without end', () => {
  it('[FA5] fails at 100,000 characters, and its model is named and asked to stop', () =>
    inVirtualTime(async (world) => {
      const { llm, signals } = endlessLlm({ type: 'text', text: 'and so on, '.repeat(100) })
      const session = await aCallWith(world, llm)
      const { how, error } = await session.reply().finished
      expect({ how, error }).toMatchObject({ how: 'failed', error: { code: 'LIMIT' } })
      expect(signals.every(({ aborted }) => aborted)).toBe(true)
      const report = await session.close()
      expect(report.errors.map(({ where }) => where)).toEqual(['llm'])
      expect(report.scope.clean).toBe(true)
    }))

  it.each([
    ['empty words', { type: 'text', text: '' }],
    ['usage', { type: 'usage', usage: { outputTokens: 0 } }],
    ['garbage', { type: 'thought' }],
  ])('[FA1] [FA5] of nothing but %s fails after answerTimeout, and blocks nothing', (_, chunk) =>
    inVirtualTime(async (world) => {
      const { llm, signals } = endlessLlm(chunk)
      // The model yields 10,000 chunks per 100 ms, so a long timeout would take long to compute.
      const session = await aCallWith(world, llm, { answerTimeout: 1_000 })
      const { error } = await session.reply().finished
      expect(error).toMatchObject({ code: 'ANSWER_TIMEOUT' })
      expect(world.clock.now()).toBeLessThan(1_100)
      expect(signals.every(({ aborted }) => aborted)).toBe(true)
      await session.close()
    }),
  )

  it('[FA1] that was begun before the turn had ended is stopped as well', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, {
        answers: [[{ stall: true }]],
        llm: { ignoresSignal: false },
        turns: { preemptive: true, endpointing: { delay: 500 } },
        apology: { again: '' },
      })
      call.vad.starts()
      call.stt.interim('When do you open?')
      call.stt.final('When do you open?')
      call.vad.stops()
      await world.clock.elapse(12_000)
      expect(call.log).toContain('error: llm')
      expect(call.session.inspect().tree.owned.map(({ name }) => name)).not.toContain('prepare a reply')
      await call.session.close()
      expectEnded(call)
    }))
})

describe('words without end', () => {
  it.each(['and so on, ', ''])(
    '[FA5] of the application, %j each, block nothing and can be closed',
    (piece) =>
      inVirtualTime(async (world) => {
        const call = await aLiveCall(world, { stallTimeout: 2_000 })
        const speech = call.session.say(endless(piece))
        await world.clock.elapse(5_000)
        expect(speech.outcome?.how ?? 'playing').not.toBe('played')
        await call.session.close()
        // The application is to blame, and not the voice.
        expect(call.log.filter((line) => line === 'error: tts')).toEqual([])
        expectEnded(call)
      }),
  )

  it.each(['and so on, ', ''])(
    '[FA5] for a realtime model, %j each, block nothing and can be closed',
    (piece) =>
      inVirtualTime(async (world) => {
        const { session } = aRealtimeCall(world, { stallTimeout: 2_000 })
        await session.start()
        const speech = session.say(endless(piece))
        await world.clock.elapse(5_000)
        expect(speech.outcome?.how).toBe('failed')
        await session.close()
      }),
  )

  it('[FA5] of a realtime model fail its answer once, and stop it', () =>
    inVirtualTime(async (world) => {
      const long = 'and so on, '.repeat(100)
      const { session, log } = aRealtimeCall(world, {
        realtime: { answers: [Array<string>(200).fill(long), 'Hello.'], msPerCharacter: 0.01 },
        apology: { again: '' },
      })
      await session.start()
      expect(await session.reply().finished).toMatchObject({ how: 'failed', error: { code: 'LIMIT' } })
      await session.reply().waitForPlayout()
      expect(log.filter((line) => line.startsWith('error'))).toEqual(['error: realtime'])
      await session.close()
    }))
})

describe('a close right after a request', () => {
  it('[CL10] of a reply and a speech is clean, and asks no model and no voice', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: ['Hello.'] })
      const reply = call.session.reply()
      const speech = call.session.say('Hello.')
      const report = await call.session.close()
      expect(report).toMatchObject({ clean: true, errors: [] })
      expect([reply.outcome?.how, speech.outcome?.how]).toEqual(['interrupted', 'interrupted'])
      expectEnded(call)
    }))
})

describe('the report', () => {
  it('[CL13] has the verdicts of guardrails, and counts errors beyond those that it lists', () =>
    inVirtualTime(async (world) => {
      const guardrails = { input: { rude: (text: string) => (text === 'Fool!' ? 'an insult' : undefined) } }
      const call = await aLiveCall(world, { agent: { guardrails }, answers: [[{ wait: 100 }, 'Well.']] })
      call.caller.types('Fool!')
      await world.clock.elapse(3_000)
      call.session.on('digits', () => {
        throw new Error('mine')
      })
      for (let times = 0; times < 150; times++)
        call.session.on('state', () => Promise.reject(new Error('mine')))
      const report = await call.session.close()
      expect(report.guardrails).toEqual([{ name: 'rude', on: 'input', verdict: 'an insult' }])
      expect(report.errors.length).toBeLessThanOrEqual(100)
      expect(report.errorCount).toBeGreaterThanOrEqual(150)
      expectEnded(call)
    }))

  it.each([
    ['idle', 'capped'],
    ['max-duration', 'capped'],
    ['budget', 'capped'],
    ['host-draining', 'requested'],
    ['host-lost', 'lost'],
    ['agent-hung-up', 'hung-up'],
    ['error', 'failed'],
  ] as const)('[CL2] of a session that ended for the reason %s says: %s', (reason, ended) =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      expect(await call.session.close({ reason })).toMatchObject({ reason, ended })
    }),
  )
})
