import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, Session, tool, turnStages, type TurnLatency } from '../../src/session/index.ts'
import { ScriptedRealtime, ScriptedTts, TestLine, callTool } from '../../src/testing/index.ts'
import { aRealtimeCall, heardAfter, says } from './answering/realtime-fixture.ts'
import type { Call, CallOptions } from './fixture.ts'
import { aSlowCall, inClosedCall, latenciesOf, speak, words, type Delays } from './latency-fixture.ts'

type Stages = TurnLatency['stages']

/** The stages of the first turn of a call with these delays. */
async function stagesOf(delays: Delays, options?: CallOptions): Promise<Stages | undefined> {
  let stages: Stages | undefined
  await inClosedCall(async (world) => {
    const call = await aSlowCall(world, delays, options)
    await speak(call)
    await world.clock.elapse(20_000)
    stages = call.latencies[0]?.stages
  })
  return stages
}

const sum = (stages: Stages): number => Object.values(stages).reduce((total, ms) => total + ms, 0)

describe('the latency of a turn', () => {
  const none = { endpointing: 300, transcription: 0, model: 0, voice: 0, playout: 0 }

  it.each<[string, Delays, Stages]>([
    ['nothing else', {}, none],
    ['the end of the turn', { delay: 470 }, { ...none, endpointing: 470 }],
    ['the final text', { text: 420 }, { ...none, transcription: 120 }],
    ['the onTurn hook', { hook: 250 }, { ...none, hook: 250 }],
    ['the model', { model: 310 }, { ...none, model: 310 }],
    ['a tool, and the model twice', { tool: 800, model: 100 }, { ...none, tools: 800, model: 200 }],
    ['the voice', { voice: 140 }, { ...none, voice: 140 }],
    ['the line', { line: 90 }, { ...none, playout: 90 }],
    [
      'everything',
      { delay: 200, text: 250, hook: 10, model: 20, tool: 30, voice: 40, line: 50 },
      { endpointing: 200, transcription: 50, hook: 10, model: 40, tools: 30, voice: 40, playout: 50 },
    ],
  ])('[LT1] [LT2] says how long the caller waited for %s', async (_, delays, stages) => {
    expect(await stagesOf(delays)).toEqual(stages)
  })

  it('[LT1] is the sum of its stages, whatever takes how long', async () => {
    const ms = fc.integer({ min: 0, max: 900 })
    const delays = fc.record(
      { delay: ms, text: ms, hook: ms, model: ms, tool: ms, voice: ms, line: ms },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(delays, async (each) => {
        await inClosedCall(async (world) => {
          const call = await aSlowCall(world, each)
          await speak(call)
          const stoppedAt = world.clock.now()
          await world.clock.elapse(20_000)
          const report = await call.session.close()
          expect(call.latencies).toHaveLength(1)
          const { ms: total, stages } = call.latencies[0]!
          expect(sum(stages)).toBe(total)
          expect(total).toBe(call.line.heard[0]!.at - stoppedAt)
          expect(report.turns).toMatchObject([{ latency: total, stages, at: stoppedAt }])
          const order = turnStages.filter((stage) => stage in stages)
          expect(Object.keys(stages)).toEqual(order)
        })
      }),
      { numRuns: 60 },
    )
  })

  it('[LT1] adds up exactly on a clock with fractions of milliseconds', () =>
    inClosedCall(async (world) => {
      const call = await aSlowCall(world, { delay: 100.3, model: 33.4, voice: 7.7, line: 0.6 })
      await speak(call)
      await world.clock.elapse(5_000)
      const [latency] = call.latencies
      expect(latency).toMatchObject({
        ms: 142,
        stages: { endpointing: 100, model: 34, voice: 7, playout: 1 },
      })
      expect(sum(latency!.stages)).toBe(latency!.ms)
    }))

  it('[LT2] includes no text that was there before the turn could end', async () => {
    expect(await stagesOf({ delay: 500, text: 200 })).toEqual({ ...none, endpointing: 500 })
  })

  it('[LT2] includes the wait for an STT that declares the end of the turn, and for its text after that', () =>
    inClosedCall(async (world) => {
      const call = await aSlowCall(
        world,
        {},
        { turns: { mode: 'stt' }, stt: { endsTurns: true, finalAfter: 'never' } },
      )
      const { vad, stt, clock, latencies } = call
      vad.starts()
      stt.interim(words)
      vad.stops()
      await clock.elapse(210)
      stt.endOfTurn()
      await clock.elapse(80)
      stt.final(words)
      await clock.elapse(5_000)
      expect(latencies).toMatchObject([{ ms: 290, stages: { endpointing: 210, transcription: 80 } }])
    }))

  it('[LT3] of typed text has no stage before the model', () =>
    inClosedCall(async (world) => {
      const { caller, clock, latencies } = await aSlowCall(world, { model: 50, voice: 20 })
      caller.types('Hello')
      await clock.elapse(5_000)
      expect(latencies).toEqual([
        { ms: 70, stages: { model: 50, voice: 20, playout: 0 }, heard: 'confirmed', by: 'reply' },
      ])
    }))

  it('[LT3] has no transcription and no voice with a realtime model, and counts from what the model noticed', () =>
    inClosedCall(async (world) => {
      const call = aRealtimeCall(world, {
        realtime: { answers: ['At eight.'], firstAfter: 260 },
        line: { latency: 40 },
      })
      const latencies = latenciesOf(call)
      await call.session.start()
      says(call.caller, words)
      await world.clock.elapse(heardAfter(words) + 5_000)
      expect(latencies).toEqual([
        { ms: 300, stages: { model: 260, playout: 40 }, heard: 'confirmed', by: 'reply' },
      ])
      await call.session.close()
    }))

  it('[LT3] includes a voice if a TTS speaks the answers of a realtime model', () =>
    inClosedCall(async (world) => {
      const line = new TestLine()
      const session = new Session({
        agent: new Agent({ instructions: 'You answer the phone.' }),
        models: {
          realtime: new ScriptedRealtime({ answers: ['At eight.'], firstAfter: 260 }),
          tts: new ScriptedTts({ firstAfter: 130 }),
        },
        line,
        clock: world.clock,
        random: world.random,
      })
      const latencies = latenciesOf({ session })
      await session.start()
      says(line.caller, words)
      await world.clock.elapse(heardAfter(words) + 5_000)
      expect(latencies).toMatchObject([{ ms: 390, stages: { model: 260, voice: 130, playout: 0 } }])
      await session.close()
    }))

  it('[LT3] is shorter by what a preemptive reply did before the turn ended', async () => {
    const preemptive = { endpointing: { delay: 300 }, preemptive: true } as const
    expect(await stagesOf({ model: 200 }, { turns: preemptive })).toEqual(none)
    expect(await stagesOf({ model: 450 }, { turns: preemptive })).toEqual({ ...none, model: 150 })
  })

  it('[LT3] includes the time in which the turn could not interrupt the agent', () =>
    inClosedCall(async (world) => {
      const call = await aSlowCall(world, {})
      call.session.say('x'.repeat(40), { interruptible: false })
      await world.clock.elapse(100)
      await speak(call)
      await world.clock.elapse(20_000)
      expect(call.latencies).toMatchObject([{ ms: 1_900, stages: { endpointing: 300, held: 1_600 } }])
    }))
})

describe('what ends the wait for an answer', () => {
  it('[LT4] is the filler of a tool, if that is heard first', () =>
    inClosedCall(async (world) => {
      const { clock } = world
      const find = tool({
        description: 'Finds a slot',
        input: z.object({}),
        filler: { say: 'One moment.', after: 400 },
        run: () => clock.elapse(3_000),
      })
      const call = await aSlowCall(
        world,
        { model: 100, voice: 50 },
        { agent: { tools: { find } }, answers: [[callTool('find')], 'At eight.'] },
      )
      await speak(call)
      await clock.elapse(20_000)
      expect(call.latencies).toEqual([
        {
          ms: 850,
          stages: { endpointing: 300, transcription: 0, model: 100, tools: 400, voice: 50, playout: 0 },
          heard: 'confirmed',
          by: 'say',
        },
      ])
    }))

  it('[LT4] is what a hook says, before any model was asked', () =>
    inClosedCall(async (world) => {
      const call = await aSlowCall(
        world,
        { voice: 50 },
        {
          agent: {
            onTurn: async (text, { session }) => {
              await world.clock.elapse(120)
              session.say('One moment.')
              await world.clock.elapse(500)
              return text
            },
          },
        },
      )
      await speak(call)
      await world.clock.elapse(20_000)
      expect(call.latencies).toMatchObject([
        { ms: 470, stages: { endpointing: 300, transcription: 0, hook: 120, voice: 50 }, by: 'say' },
      ])
      expect(call.latencies[0]!.stages).not.toHaveProperty('model')
    }))

  it('[LT4] is not a speech that was queued before the turn', () =>
    inClosedCall(async (world) => {
      const { session, caller, clock, latencies } = await aSlowCall(world, { voice: 500 })
      session.say('Hello.')
      await clock.elapse(100)
      caller.types('Hello')
      await clock.elapse(20_000)
      expect(latencies).toMatchObject([{ by: 'reply', stages: { model: 0, queue: 700, voice: 500 } }])
    }))

  it('[LT4] is not a telephone key', () =>
    inClosedCall(async (world) => {
      const press = tool({
        description: 'Presses 1',
        input: z.object({}),
        run: async (_, { press: pressKeys }) => (await pressKeys('1')).how,
      })
      const call = await aSlowCall(
        world,
        {},
        { agent: { tools: { press } }, answers: [[callTool('press')], 'Done.'] },
      )
      call.caller.types('Hello')
      await world.clock.elapse(20_000)
      expect(call.latencies).toMatchObject([{ by: 'reply' }])
      expect(call.latencies[0]!.stages.tools).toBeGreaterThan(0)
    }))

  it.each([
    ['the caller interrupts it', (call: Call) => call.session.interrupt()],
    ['it has no words', () => {}],
  ])('[LT4] never comes if %s: what is said later is not the answer', (how, act) =>
    inClosedCall(async (world) => {
      const isEmpty = how === 'it has no words'
      const call = await aSlowCall(world, { model: 1_000 }, { answers: [isEmpty ? '' : 'At eight.'] })
      call.caller.types('Hello')
      await world.clock.elapse(500)
      act(call)
      await world.clock.elapse(10_000)
      call.session.say('Are you still there?')
      await world.clock.elapse(5_000)
      expect(call.latencies).toEqual([])
      expect((await call.session.close()).turns).toEqual([])
    }),
  )
})

describe('the first sound of an answer', () => {
  it('[LT5] counts as heard when the line has confirmed it, not when it was sent', () =>
    inClosedCall(async (world) => {
      const call = await aSlowCall(world, { line: 250 })
      const at: number[] = []
      call.session.on('latency', () => at.push(world.clock.now()))
      call.caller.types('Hello')
      await world.clock.elapse(200)
      expect(call.latencies).toEqual([])
      await world.clock.elapse(5_000)
      // 20 ms: the first frame.
      expect(at).toEqual([270])
      expect(call.latencies).toMatchObject([{ ms: 250, heard: 'confirmed', stages: { playout: 250 } }])
    }))

  it('[LT5] is estimated on a line that never confirms, and the report says so', () =>
    inClosedCall(async (world) => {
      const call = await aSlowCall(
        world,
        { model: 60, line: 250 },
        { line: { latency: 250, confirms: false } },
      )
      call.caller.types('Hello')
      await world.clock.elapse(20_000)
      const estimate = { stages: { model: 60, voice: 0, playout: 0 }, heard: 'estimated', by: 'reply' }
      expect(call.latencies).toEqual([{ ms: 60, ...estimate }])
      expect((await call.session.close()).turns).toEqual([{ latency: 60, at: 0, ...estimate }])
    }))

  it('[LT5] is in the report although the session closes before the line confirms it', () =>
    inClosedCall(async (world) => {
      const call = await aSlowCall(world, { line: 2_000 })
      call.caller.types('Hello')
      await world.clock.elapse(300)
      const { turns } = await call.session.close()
      expect(turns).toMatchObject([{ latency: 0, heard: 'estimated' }])
      expect(call.latencies).toMatchObject([{ ms: 0, heard: 'estimated' }])
    }))

  it('[LT5] that is cleared before the line played it is no answer, although its mark comes back', () =>
    inClosedCall(async (world) => {
      const call = await aSlowCall(world, { line: 250 })
      call.caller.types('Hello')
      await world.clock.elapse(100)
      call.session.interrupt()
      await world.clock.elapse(5_000)
      expect(call.line.heard).toEqual([])
      expect(call.latencies).toEqual([])
      expect((await call.session.close()).turns).toEqual([])
    }))

  it('[LT5] that the line never played is no answer', () =>
    inClosedCall(async (world) => {
      const call = await aSlowCall(world, {})
      call.caller.types('Hello')
      call.session.on('speaking', ({ speech }) => speech.interrupt())
      await world.clock.elapse(5_000)
      expect(call.latencies).toEqual([])
      expect((await call.session.close()).turns).toEqual([])
    }))
})
