import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, Session, tool, type SessionEvents, type SessionReport } from '../../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  callTool,
  inVirtualTime,
  type LlmAnswer,
  type World,
} from '../../../src/testing/index.ts'

/** All events that a session can emit in one call, except `closed`. */
const events = [
  'started',
  'state',
  'hearing',
  'user',
  'tool',
  'approval',
  'progress',
  'tool-done',
  'handoff',
  'guardrail',
  'speaking',
  'latency',
  'spoken',
  'pressed',
  'digits',
  'warning',
  'error',
] as const satisfies readonly (keyof SessionEvents)[]

const find: LlmAnswer = ['One moment.', callTool('find')]
const handOver: LlmAnswer = [callTool('billing')]

const models = {
  'a pipeline': () => ({
    llm: new ScriptedLlm({ answers: [find, 'Bad words.', handOver, 'Goodbye.'] }),
    stt: new ScriptedStt({ finalOn: 'flush' }),
    tts: new ScriptedTts(),
    vad: new ScriptedVad(),
  }),
  // A realtime model speaks the refusal of a guardrail itself, which takes one answer.
  'a realtime model': () => ({
    realtime: new ScriptedRealtime({ answers: [find, 'Bad words.', 'Sorry.', handOver, 'Goodbye.'] }),
  }),
}

/** A call in which all of these events are emitted. */
function aTalkativeCall({ clock, random }: World, kind: keyof typeof models) {
  const billing = new Agent({ name: 'billing', instructions: 'You know the bills.' })
  const input = z.object({})
  const line = new TestLine()
  const session = new Session({
    agent: new Agent({
      name: 'desk',
      instructions: 'You answer the phone.',
      tools: {
        find: tool({
          description: 'Finds a slot',
          input,
          approval: true,
          run: async (_, { progress, press }) => {
            progress('half')
            await press('1')
            return 'at nine'
          },
        }),
        billing: tool({ description: 'Hands over', input, run: () => billing }),
      },
      guardrails: { output: { politeness: (text) => (text.includes('Bad') ? 'rude' : undefined) } },
      onExit: () => {
        throw new Error('no')
      },
    }),
    models: models[kind](),
    line,
    clock,
    random,
    maxDuration: 60_000,
    turns: { dtmf: {} },
  })
  return { session, line }
}

describe.each(Object.keys(models) as (keyof typeof models)[])('a session with %s', (kind) => {
  it.each(events)("[CL1] can be closed by a listener of '%s'", (event) =>
    inVirtualTime(async (world) => {
      const { session, line } = aTalkativeCall(world, kind)
      const reports: SessionReport[] = []
      session.on('closed', (report) => reports.push(report))
      session.on('approval', ({ id }) => session.approve(id, true))
      let emitted = false
      session.on(event, () => {
        emitted = true
        session.close({ by: 'a listener' }).catch(() => {})
      })
      await session.start().catch(() => {})
      const { caller } = line
      for (const words of ['find me a slot', 'and now', 'my bill please', 'thank you']) {
        if (session.state !== 'live') break
        await caller.says(words)
        await caller.pauses(1_000)
        await world.clock.elapse(3_000)
      }
      if (session.state === 'live') caller.presses('1#')
      await world.clock.elapse(120_000)
      expect({ emitted, reports: reports.length, by: reports[0]?.by }).toEqual({
        emitted: true,
        reports: 1,
        by: 'a listener',
      })
      expect(line.counts.live).toBe(0)
    }),
  )
})
