import * as api from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { openTraces } from '../../src/host/index.ts'
import {
  fallbackLlm,
  fallbackRealtime,
  fallbackStt,
  fallbackTts,
  type Fallback,
} from '../../src/parts/fallback/index.ts'
import { Agent, Session, tool } from '../../src/session/index.ts'
import {
  Faults,
  ScriptedFilter,
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedStt,
  ScriptedTts,
  TestLine,
  callTool,
  inVirtualTime,
} from '../../src/testing/index.ts'
import { never } from '../session/fixture.ts'
import { aTracedCall, ms, recordSpans } from './trace-fixture.ts'

const recorded = recordSpans()

describe('the trace of a call', () => {
  it('[HO26] has its turns, requests and tools, at their real times, in the trace of the request', () =>
    inVirtualTime(async (world) => {
      const findSlot = tool({
        description: 'Find a slot',
        run: () => world.clock.elapse(400).then(() => 'ten'),
      })
      const agent = new Agent({
        name: 'desk',
        instructions: '',
        onEnter: ({ session }) => void session.say('Hello.'),
        tools: { findSlot },
      })
      const usage = { inputTokens: 12, outputTokens: 3, cachedTokens: 5 }
      const { session, caller, clock, trace } = await aTracedCall(world, {
        agent,
        answers: [
          [callTool('findSlot', { day: 'Monday' }), { type: 'usage', usage }],
          'Monday at ten.',
          'Bye.',
        ],
        tts: { firstAfter: 50, speed: 10 },
      })
      await session.start()
      await clock.elapse(1_000)
      await caller.says('Monday please')
      await caller.pauses(3_000)
      caller.types('Thanks')
      await clock.elapse(3_000)
      const report = await session.close()
      const spans = recorded.spans()
      expect(recorded.tree()).toMatchInlineSnapshot(`
        [
          "call 0–7660",
          "  text_to_speech 0–80",
          "  turn 1060–3510",
          "    speech_to_text 1060–1860",
          "    chat gpt-5.4-mini 2160–2260",
          "    execute_tool findSlot 2260–2660",
          "    chat gpt-5.4-mini 2660–2760",
          "    text_to_speech 2760–2880",
          "  turn 4660–5010",
          "    chat gpt-5.4-mini 4660–4760",
          "    text_to_speech 4760–4830",
          "  close 7660–7660",
          "    line 7660–7660",
          "    stt 7660–7660",
          "    vad 7660–7660",
          "    llm 7660–7660",
          "    tts 7660–7660",
        ]
      `)
      expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(
        new Set(['0af7651916cd43dd8448eb211c80319c']),
      )
      expect(recorded.named('call').parentSpanContext).toMatchObject({
        spanId: 'b7ad6b7169203331',
        isRemote: true,
      })
      expect(trace.traceparent).toBe(
        `00-0af7651916cd43dd8448eb211c80319c-${recorded.named('call').spanContext().spanId}-01`,
      )
      const ids = { 'session.id': 'c1', 'gen_ai.conversation.id': 'c1' }
      expect(recorded.named('call').attributes).toEqual({
        ...ids,
        'endwell.line': 'phone',
        'gen_ai.agent.name': 'desk',
        'endwell.reason': 'requested',
        'endwell.ended': 'requested',
        'endwell.clean': true,
        'endwell.turns': 2,
        'endwell.tool_calls': 1,
        'gen_ai.usage.input_tokens': 12,
        'gen_ai.usage.output_tokens': 3,
        'gen_ai.usage.cache_read.input_tokens': 5,
      })
      expect(recorded.named('turn').attributes).toEqual({
        ...ids,
        'endwell.turn.number': 1,
        'endwell.turn.latency': report.turns[0]!.latency / 1_000,
        'endwell.turn.heard': 'confirmed',
        'endwell.turn.stage.endpointing': 0.5,
        'endwell.turn.stage.transcription': 0,
        'endwell.turn.stage.model': 0.2,
        'endwell.turn.stage.tools': 0.4,
        'endwell.turn.stage.voice': 0.05,
        'endwell.turn.stage.playout': 0,
      })
      expect(recorded.named('chat gpt-5.4-mini')).toMatchObject({
        kind: api.SpanKind.CLIENT,
        attributes: {
          ...ids,
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': 'gpt-5.4-mini',
          'gen_ai.response.time_to_first_chunk': 0.1,
          'gen_ai.usage.input_tokens': 12,
          'gen_ai.usage.output_tokens': 3,
          'gen_ai.usage.cache_read.input_tokens': 5,
        },
      })
      expect(recorded.named('execute_tool findSlot')).toMatchObject({
        kind: api.SpanKind.INTERNAL,
        attributes: {
          ...ids,
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'findSlot',
          'gen_ai.tool.call.id': report.transcript.find(({ type }) => type === 'tool')!.id,
          'gen_ai.tool.type': 'function',
        },
      })
      expect(recorded.named('text_to_speech').attributes).toEqual({
        ...ids,
        'gen_ai.operation.name': 'text_to_speech',
        'gen_ai.provider.name': 'tts',
        'gen_ai.response.time_to_first_chunk': 0.05,
      })
    }))

  it('[HO26] has every step of the close at its real time, as an error if it was forced or abandoned', () =>
    inVirtualTime(async (world) => {
      const faults = new Faults((time) => world.clock.elapse(time))
      faults.set('close:stt', 'hang')
      faults.set('close:llm', { late: 300 })
      const agent = new Agent({
        instructions: '',
        tools: { stuck: tool({ description: '', timeout: 60_000, run: never }) },
      })
      const { session, caller, clock } = await aTracedCall(world, {
        agent,
        answers: [[callTool('stuck')]],
        intercept: faults.intercept,
      })
      await session.start()
      caller.types('Hello')
      await clock.elapse(2_000)
      const report = await session.close()
      expect(recorded.tree()).toMatchInlineSnapshot(`
        [
          "call 0–6750",
          "  turn 0–2000",
          "    chat gpt-5.4-mini 0–100",
          "    execute_tool stuck 100–2000 error TOOL_CANCELLED",
          "  close 2000–6750 error abandoned",
          "    stuck 2000–6750 error abandoned",
          "    reply 2000–2000",
          "    stt 3000–6750 error timed-out",
          "    line 3000–3000",
          "    vad 3000–3000",
          "    tts 3000–3000",
          "    llm 3000–3300",
        ]
      `)
      const close = recorded.named('close')
      expect(ms(close.endTime) - ms(close.startTime)).toBe(report.took)
      expect(recorded.named('stt').attributes).toMatchObject({
        'endwell.step.name': 'stt',
        'endwell.step.kind': 'resource',
        'endwell.step.phase': 'resources',
        'endwell.step.scope': 'links',
        'endwell.step.outcome': 'timed-out',
        'endwell.step.forced': true,
      })
    }))

  it('[HO26] has an answer that was prepared in the turn that it answers, and an interrupted one is no error', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await aTracedCall(world, {
        answers: ['One moment, I will look that up for you.', 'Never mind then.'],
        turns: { preemptive: true },
        tts: { speed: 1 },
      })
      await session.start()
      await caller.says('When do you open?')
      await caller.pauses(1_500)
      await caller.says('Forget it please.')
      await caller.pauses(3_000)
      await clock.elapse(1_000)
      await session.close()
      const tree = recorded.tree()
      expect(tree).toMatchInlineSnapshot(`
        [
          "call 0–7220",
          "  turn 60–2860",
          "    speech_to_text 60–1060",
          "    chat gpt-5.4-mini 1060–1160",
          "    text_to_speech 1360–2860",
          "  turn 2420–4520",
          "    speech_to_text 2420–3420",
          "    chat gpt-5.4-mini 3420–3520",
          "    text_to_speech 3720–4520",
          "  close 7220–7220",
          "    line 7220–7220",
          "    stt 7220–7220",
          "    vad 7220–7220",
          "    llm 7220–7220",
          "    tts 7220–7220",
        ]
      `)
      expect(tree.join()).not.toContain('error')
      const voices = recorded.spans().filter(({ name }) => name === 'text_to_speech')
      expect(voices.map(({ attributes }) => attributes['endwell.stopped'])).toEqual([true, undefined])
    }))

  it('[HO26] has a request that was stopped by an interruption, not as an error', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await aTracedCall(world, { answers: [[{ stall: true }]] })
      await session.start()
      caller.types('Hello')
      await clock.elapse(500)
      session.interrupt()
      await clock.elapse(500)
      await session.close()
      expect(recorded.tree().slice(0, 3)).toEqual([
        'call 0–1000',
        '  turn 0–500',
        '    chat gpt-5.4-mini 0–500',
      ])
      expect(recorded.named('chat gpt-5.4-mini').attributes).toMatchObject({ 'endwell.stopped': true })
    }))

  it('[HO26] has a stopped request of a model that rejects when it is stopped, not as an error', () =>
    inVirtualTime(async (world) => {
      const next = (signal: AbortSignal): Promise<never> =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      const generate = (_request: unknown, signal: AbortSignal) => ({
        [Symbol.asyncIterator]: () => ({ next: () => next(signal) }),
      })
      const llm = { name: 'llm', open: async () => ({ generate }) }
      const { session, caller, clock } = await aTracedCall(world, { models: { llm } as never })
      await session.start()
      caller.types('Hello')
      await clock.elapse(500)
      session.interrupt()
      await clock.elapse(500)
      await session.close()
      expect(recorded.tree()[2]).toBe('    chat llm 0–500')
      expect(recorded.named('chat llm').attributes).toMatchObject({ 'endwell.stopped': true })
    }))

  it('[HO26] has words whose transcript comes late in the turn that took them', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await aTracedCall(world, { answers: ['Yes.'], tts: { speed: 1 } })
      await session.start()
      await caller.says('Monday please')
      caller.types('Hello?')
      await clock.elapse(1_000)
      await session.close()
      expect(recorded.tree().slice(0, 6)).toMatchInlineSnapshot(`
        [
          "call 0–1660",
          "  turn 60–1660",
          "    speech_to_text 60–1660",
          "    chat gpt-5.4-mini 660–760",
          "    text_to_speech 760–960",
          "  close 1660–1660",
        ]
      `)
    }))

  it('[HO26] has the failed requests of a model, and tools that failed', () =>
    inVirtualTime(async (world) => {
      const agent = new Agent({
        instructions: '',
        tools: {
          broken: tool({ description: '', run: () => Promise.reject(new TypeError('Mr Jones is ill')) }),
        },
      })
      const { session, caller, clock } = await aTracedCall(world, {
        agent,
        answers: [[{ fail: new RangeError('Mr Jones is ill') }], [callTool('broken')], 'Sorry.'],
      })
      await session.start()
      caller.types('Hello')
      await clock.elapse(5_000)
      await session.close()
      expect(recorded.tree().filter((line) => line.includes('error'))).toEqual([
        '    chat gpt-5.4-mini 0–0 error RangeError',
        '    execute_tool broken 100–100 error TypeError',
      ])
      expect(recorded.text()).not.toContain('Jones')
    }))

  it('[HO26] ends a request that never ends, as abandoned, with the call', () =>
    inVirtualTime(async (world) => {
      const llm = {
        name: 'stuck',
        open: async () => ({ generate: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) }),
      }
      const { session, caller, clock } = await aTracedCall(world, { models: { llm } as never })
      await session.start()
      caller.types('Hello')
      await clock.elapse(1_000)
      await session.close()
      expect(recorded.tree()).toContainEqual(expect.stringMatching(/^ {4}chat stuck 0–\d+ error abandoned$/))
    }))

  it('[HO26] [PT10] leaves the other models of a session as they are, and the names of fallbacks', () =>
    inVirtualTime(async (world) => {
      const trace = (await openTraces(world)).call({ id: 'c1', line: 'phone' })
      const realtime = fallbackRealtime([new ScriptedRealtime({ name: 'gemini' })])
      const filter = new ScriptedFilter()
      const models = trace.models({ realtime, tts: fallbackTts([new ScriptedTts({ name: 'rime' })]), filter })
      expect(models.filter).toBe(filter)
      const others = trace.models({
        llm: fallbackLlm([new ScriptedLlm({ name: 'openai' })]),
        stt: fallbackStt([new ScriptedStt({ name: 'deepgram' })]),
        tts: new ScriptedTts(),
      })
      const parts = [models.realtime, models.tts, others.llm, others.stt, others.tts]
      const members = parts.map((part) =>
        (part as Partial<Fallback<{ readonly name: string }>>).members?.map(({ name }) => name),
      )
      expect(members).toEqual([['gemini'], ['rime'], ['openai'], ['deepgram'], undefined])
    }))

  it('[HO26] has the answers of a realtime model', () =>
    inVirtualTime(async (world) => {
      const realtime = new ScriptedRealtime({ answers: ['We open at nine.'] })
      const { clock, random } = world
      const trace = (await openTraces({ clock })).call({ id: 'c1', line: 'phone' })
      const line = new TestLine()
      const session = new Session({
        agent: new Agent({ instructions: '' }),
        models: trace.models({ realtime }),
        line,
        clock,
        random,
      })
      trace.follow(session)
      await session.start()
      await line.caller.says('When do you open?')
      await line.caller.pauses(3_000)
      await session.close()
      expect(recorded.tree()).toMatchInlineSnapshot(`
        [
          "call 0–3860",
          "  turn 60–1960",
          "    speech_to_text 60–1160",
          "    chat realtime 1160–1160",
          "  close 3860–3860",
          "    line 3860–3860",
          "    realtime 3860–3860",
        ]
      `)
    }))
})
