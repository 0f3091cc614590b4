import { describe, expect, it } from 'vitest'
import { pcm, durationOf, silence, type AudioFrame } from '../audio/index.ts'
import type { RealtimeEvents, RealtimeModel, RealtimeSetup } from '../parts/index.ts'
import type { Scope } from '../scope/index.ts'
import {
  ScriptedRealtime,
  callTool,
  inVirtualTime,
  partContext,
  soundOf,
  textOf,
  type ScriptedRealtimeOptions,
  type World,
} from './index.ts'

const RATE = 16_000

interface Open {
  readonly realtime: ScriptedRealtime
  readonly model: RealtimeModel
  readonly scope: Scope<string>
  readonly log: string[]
  readonly frames: AudioFrame[]
}

async function open(
  world: World,
  options: ScriptedRealtimeOptions = {},
  setup: Partial<RealtimeSetup> = {},
): Promise<Open> {
  const log: string[] = []
  const frames: AudioFrame[] = []
  const note = (...words: unknown[]): void => void log.push([world.clock.now(), ...words].join(' '))
  const events: RealtimeEvents = {
    userStarted: () => note('user started'),
    userStopped: () => note('user stopped'),
    userInterim: () => {},
    userFinal: (text) => note('user said', text),
    responseStarted: (response) => note(response, 'started'),
    audio: (_, frame) => void frames.push(frame),
    text: (response, text) => note(response, 'text', text),
    toolCall: (response, { id, name, input }) => note(response, 'calls', id, name, input),
    toolCancelled: (id) => note('cancels', id),
    responseEnded: (response, how) => note(response, how),
    usage: ({ outputTokens }) => note('usage', outputTokens),
    failed: (error) => note('failed', error),
  }
  const realtime = new ScriptedRealtime(options)
  const context = partContext(world)
  const full = {
    hears: pcm(RATE),
    speaks: pcm(RATE),
    instructions: '',
    tools: [],
    messages: [],
    takesTurns: true,
    ...setup,
  }
  const model = await realtime.open(context, full, events)
  return { realtime, model, scope: context.scope, log, frames }
}

describe('a scripted realtime model', () => {
  it('transcribes the user, and answers with text and audio', () =>
    inVirtualTime(async (world) => {
      const answers = [['Good ', 'morning.', { type: 'usage', usage: { outputTokens: 3 } }] as const]
      const { model, scope, log, frames } = await open(world, { answers, firstAfter: 100 })
      const { samples } = soundOf('hello', RATE, 50)
      model.push({ samples, sampleRate: RATE })
      for (let i = 0; i < 20; i++) model.push(silence(20, RATE))
      await world.clock.elapse(200)
      expect(log).toEqual([
        '0 user started',
        '0 user stopped',
        '0 user said hello',
        '100 response-1 started',
        '100 response-1 text Good ',
        '100 response-1 text morning.',
        '100 usage 3',
        '100 response-1 completed',
      ])
      expect(textOf(frames)).toBe('Good morning.')
      await scope.close()
    }))

  it('answers only on request if the session takes the turns', () =>
    inVirtualTime(async (world) => {
      const requests: unknown[] = []
      const answers = (turn: unknown): string => {
        requests.push(turn)
        return 'Yes.'
      }
      const { realtime, model, scope, log } = await open(world, { answers }, { takesTurns: false })
      realtime.hear('hello')
      model.commit()
      await world.clock.elapse(10)
      expect(log).toEqual(['0 user started', '0 user stopped', '0 user said hello'])
      model.respond('Be brief.')
      await world.clock.elapse(10)
      expect(log.at(-1)).toBe('10 response-1 completed')
      expect(requests).toEqual([{ user: 'hello', instructions: 'Be brief.', results: [] }])
      await scope.close()
    }))

  it('calls tools, receives their results, and starts the next answer after the running one', () =>
    inVirtualTime(async (world) => {
      const { realtime, model, scope, log } = await open(world, {
        answers: [[callTool('a'), callTool('b'), { wait: 100 }], 'Done.'],
      })
      model.respond()
      await world.clock.elapse(50)
      model.toolResult('call-1', 'one', false)
      model.toolResult('call-2', 'two', true)
      model.toolResult('call-2', 'again', true)
      model.respond()
      expect(log.at(-1)).toBe('0 response-1 calls call-2 b {}')
      await world.clock.elapse(100)
      expect(log.slice(-3)).toEqual([
        '100 response-2 started',
        '100 response-2 text Done.',
        '100 response-2 completed',
      ])
      expect(realtime.results).toHaveLength(3)
      await scope.close()
    }))

  it('remembers only the heard part of an interrupted answer, and may speak on for `interruptTakes`', () =>
    inVirtualTime(async (world) => {
      const { realtime, model, scope, log, frames } = await open(world, {
        answers: ['Good morning to you.', 'Pardon?'],
        speed: 1,
        interruptTakes: 200,
      })
      model.respond()
      await world.clock.elapse(300)
      model.interrupt('response-1', 220)
      await world.clock.elapse(1000)
      expect(frames.reduce((sum, frame) => sum + durationOf(frame), 0)).toBe(500)
      expect(log.at(-1)).toBe('500 response-1 cancelled')
      expect(realtime.answersGiven[0]).toMatchObject({ remembered: 'Good', how: 'cancelled' })
      expect(realtime.interruptions).toEqual([{ response: 'response-1', heard: 220 }])
      await scope.close()
    }))

  it('stops when the user speaks, with `yields`', () =>
    inVirtualTime(async (world) => {
      const { realtime, model, scope, log } = await open(world, {
        answers: ['Good morning to you.'],
        speed: 1,
        yields: true,
      })
      model.respond()
      await world.clock.elapse(100)
      realtime.userStarts()
      expect(log.slice(-2)).toEqual(['100 user started', '100 response-1 cancelled'])
      await scope.close()
    }))

  it('cancels a tool call, fails an answer, and emits nothing after a drop', () =>
    inVirtualTime(async (world) => {
      const { realtime, model, scope, log } = await open(world, {
        answers: [[callTool('a'), { fail: 'overloaded' }], [{ stall: true }]],
      })
      model.respond()
      await world.clock.elapse(1)
      realtime.cancelTool('call-1')
      realtime.cancelTool('call-1')
      model.respond()
      await world.clock.elapse(1)
      realtime.drop('no network')
      realtime.drop('no network')
      realtime.hear('anybody there?')
      model.respond()
      model.push(silence(20, RATE))
      await world.clock.elapse(1)
      expect(log.slice(1)).toEqual([
        '0 response-1 calls call-1 a {}',
        '0 response-1 failed',
        '1 cancels call-1',
        '1 response-2 started',
        '2 failed no network',
      ])
      await scope.close()
      expect(realtime.counts).toMatchObject({ opened: 1, closed: 1, aborted: 0, live: 0 })
    }))

  it('closes after `closeTakes`, and is aborted if its close hangs', () =>
    inVirtualTime(async (world) => {
      const slow = await open(world, { closeTakes: 200 })
      expect((await slow.scope.close()).steps).toMatchObject([
        { name: 'realtime', outcome: 'done', took: 200 },
      ])
      const hanging = await open(world, { closeHangs: true })
      expect((await hanging.scope.close({ closeTimeout: 1_000 })).steps).toMatchObject([
        { outcome: 'timed-out', forced: true },
      ])
      expect(hanging.realtime.counts).toMatchObject({ closed: 0, aborted: 1, live: 0 })
    }))
})
