import * as api from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTraces, traceparentOf, type TracesOptions } from '../../src/host/index.ts'
import { Agent, Session, tool, type Models, type SessionTurnOptions } from '../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  Faults,
  callTool,
  inVirtualTime,
  type LlmAnswer,
  type World,
} from '../../src/testing/index.ts'
import { aCall, aLogger, never } from '../session/fixture.ts'

const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })

beforeAll(() => void api.trace.setGlobalTracerProvider(provider))
afterEach(() => exporter.reset())
afterAll(async () => {
  api.trace.disable()
  await provider.shutdown()
})

const request = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
}

interface TracedCallOptions extends TracesOptions {
  answers?: readonly LlmAnswer[]
  agent?: Agent
  models?: Partial<Models>
  tts?: ConstructorParameters<typeof ScriptedTts>[0]
  stt?: ConstructorParameters<typeof ScriptedStt>[0]
  intercept?: Faults['intercept']
  turns?: SessionTurnOptions
}

/** A call with scripted models that is traced. */
async function aTracedCall({ clock, random }: World, options: TracedCallOptions = {}) {
  const { answers = [], agent, models, tts, stt, intercept, turns, ...rest } = options
  const traces = await openTraces({ clock, ...rest })
  const trace = traces.call({ id: 'c1', line: 'phone', agent: 'desk', parent: traceparentOf(request) })
  const line = new TestLine()
  const llm = new ScriptedLlm({ answers, firstAfter: 100 })
  const session = new Session({
    id: 'c1',
    agent: agent ?? new Agent({ name: 'desk', instructions: 'The secret instructions.' }),
    models: trace.models({
      llm: Object.assign(llm, { provider: 'openai', model: 'gpt-5-mini' }),
      tts: new ScriptedTts(tts),
      stt: new ScriptedStt({ finalOn: 'flush', ...stt }),
      vad: new ScriptedVad(),
      ...models,
    } as Models),
    line,
    clock,
    random,
    ...(intercept ? { intercept } : {}),
    ...(turns ? { turns } : {}),
  })
  trace.follow(session)
  return { session, caller: line.caller, clock, trace, llm }
}

const ms = ([seconds, nanoseconds]: api.HrTime): number => seconds * 1_000 + nanoseconds / 1e6

/** The spans as a tree, in the order in which they began, with their times since the start of the call. */
function treeOf(spans: readonly ReadableSpan[]): string[] {
  const root = spans.find(({ name }) => name === 'call')!
  const zero = ms(root.startTime)
  const lines = (parent: ReadableSpan, depth: number): string[] => [
    `${'  '.repeat(depth)}${parent.name} ${Math.round(ms(parent.startTime) - zero)}–${Math.round(ms(parent.endTime) - zero)}` +
      (parent.status.code === api.SpanStatusCode.ERROR
        ? ` error ${String(parent.attributes['error.type'])}`
        : ''),
    ...spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent.spanContext().spanId)
      .toSorted((one, other) => ms(one.startTime) - ms(other.startTime))
      .flatMap((child) => lines(child, depth + 1)),
  ]
  return lines(root, 0)
}

const named = (name: string): ReadableSpan => exporter.getFinishedSpans().find((span) => span.name === name)!

/** Everything that was exported, as text. */
const exported = (): string =>
  JSON.stringify(
    exporter
      .getFinishedSpans()
      .map(({ name, attributes, status, events }) => ({ name, attributes, status, events })),
  )

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
      const spans = exporter.getFinishedSpans()
      expect(treeOf(spans)).toMatchInlineSnapshot(`
        [
          "call 0–7660",
          "  text_to_speech 0–80",
          "  turn 1060–3510",
          "    speech_to_text 1060–1860",
          "    chat gpt-5-mini 2160–2260",
          "    execute_tool findSlot 2260–2660",
          "    chat gpt-5-mini 2660–2760",
          "    text_to_speech 2760–2880",
          "  turn 4660–5010",
          "    chat gpt-5-mini 4660–4760",
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
      expect(named('call').parentSpanContext).toMatchObject({ spanId: 'b7ad6b7169203331', isRemote: true })
      expect(trace.traceparent).toBe(
        `00-0af7651916cd43dd8448eb211c80319c-${named('call').spanContext().spanId}-01`,
      )
      const ids = { 'session.id': 'c1', 'gen_ai.conversation.id': 'c1' }
      expect(named('call').attributes).toEqual({
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
      expect(named('turn').attributes).toEqual({
        ...ids,
        'endwell.turn.number': 1,
        'endwell.turn.latency': report.turns[0]!.latency / 1_000,
      })
      expect(named('chat gpt-5-mini')).toMatchObject({
        kind: api.SpanKind.CLIENT,
        attributes: {
          ...ids,
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': 'gpt-5-mini',
          'gen_ai.response.time_to_first_chunk': 0.1,
          'gen_ai.usage.input_tokens': 12,
          'gen_ai.usage.output_tokens': 3,
          'gen_ai.usage.cache_read.input_tokens': 5,
        },
      })
      expect(named('execute_tool findSlot')).toMatchObject({
        kind: api.SpanKind.INTERNAL,
        attributes: {
          ...ids,
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'findSlot',
          'gen_ai.tool.call.id': report.transcript.find(({ type }) => type === 'tool')!.id,
          'gen_ai.tool.type': 'function',
        },
      })
      expect(named('text_to_speech').attributes).toEqual({
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
      expect(treeOf(exporter.getFinishedSpans())).toMatchInlineSnapshot(`
        [
          "call 0–6750",
          "  turn 0–2000",
          "    chat gpt-5-mini 0–100",
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
      const close = named('close')
      expect(ms(close.endTime) - ms(close.startTime)).toBe(report.took)
      expect(named('stt').attributes).toMatchObject({
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
      const tree = treeOf(exporter.getFinishedSpans())
      expect(tree).toMatchInlineSnapshot(`
        [
          "call 0–7220",
          "  turn 60–2860",
          "    speech_to_text 60–1060",
          "    chat gpt-5-mini 1060–1160",
          "    text_to_speech 1360–2860",
          "  turn 2420–4520",
          "    speech_to_text 2420–3420",
          "    chat gpt-5-mini 3420–3520",
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
      const voices = exporter.getFinishedSpans().filter(({ name }) => name === 'text_to_speech')
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
      expect(treeOf(exporter.getFinishedSpans()).slice(0, 3)).toEqual([
        'call 0–1000',
        '  turn 0–500',
        '    chat gpt-5-mini 0–500',
      ])
      expect(named('chat gpt-5-mini').attributes).toMatchObject({ 'endwell.stopped': true })
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
      expect(treeOf(exporter.getFinishedSpans())[2]).toBe('    chat llm 0–500')
      expect(named('chat llm').attributes).toMatchObject({ 'endwell.stopped': true })
    }))

  it('[HO26] has words whose transcript comes late in the turn that took them', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await aTracedCall(world, { answers: ['Yes.'], tts: { speed: 1 } })
      await session.start()
      await caller.says('Monday please')
      caller.types('Hello?')
      await clock.elapse(1_000)
      await session.close()
      expect(treeOf(exporter.getFinishedSpans()).slice(0, 6)).toMatchInlineSnapshot(`
        [
          "call 0–1660",
          "  turn 60–1660",
          "    speech_to_text 60–1660",
          "    chat gpt-5-mini 660–760",
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
      expect(treeOf(exporter.getFinishedSpans()).filter((line) => line.includes('error'))).toEqual([
        '    chat gpt-5-mini 0–0 error RangeError',
        '    execute_tool broken 100–100 error TypeError',
      ])
      expect(exported()).not.toContain('Jones')
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
      expect(treeOf(exporter.getFinishedSpans())).toContainEqual(
        expect.stringMatching(/^ {4}chat stuck 0–\d+ error abandoned$/),
      )
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
      expect(treeOf(exporter.getFinishedSpans())).toMatchInlineSnapshot(`
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

describe('what was said in a call', () => {
  const talk = async (world: World, content: boolean): Promise<string> => {
    const agent = new Agent({
      name: 'desk',
      instructions: 'The secret instructions.',
      tools: { look: tool({ description: 'Look', run: () => 'the tool said ten' }) },
    })
    const { session, caller, clock } = await aTracedCall(world, {
      agent,
      content,
      answers: [[callTool('look', { day: 'the model said Monday' })], 'The agent said yes.'],
    })
    await session.start()
    await caller.says('The caller said please.')
    await caller.pauses(3_000)
    await clock.elapse(3_000)
    await session.close()
    return exported()
  }

  it('[HO26] is not in its trace by default', () =>
    inVirtualTime(async (world) => {
      const text = await talk(world, false)
      expect(text).toContain('execute_tool look')
      expect(text).not.toMatch(/ said |secret instructions/)
    }))

  it('[HO26] is in its trace if asked for, except for the instructions', () =>
    inVirtualTime(async (world) => {
      const text = await talk(world, true)
      for (const who of ['tool', 'model', 'agent', 'caller'])
        expect(text).toMatch(new RegExp(`${who} said `, 'i'))
      expect(text).not.toContain('secret instructions')
      expect(
        JSON.parse(
          String(
            exporter.getFinishedSpans().find(({ attributes }) => attributes['gen_ai.output.messages'])!
              .attributes['gen_ai.output.messages'],
          ),
        ),
      ).toEqual([{ role: 'assistant', parts: [{ type: 'text', content: 'The agent said yes.' }] }])
    }))
})

describe('a call that another process closed', () => {
  it('[HO26] has the steps of scopes that had begun to close before, at their real times', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = aCall(world)
      await session.start()
      await clock.elapse(3_000)
      const report = await session.close()
      const step = { kind: 'resource', phase: 'resources', outcome: 'done', forced: false } as const
      const steps = [{ ...step, name: 'file', at: 100, took: 50 }]
      const inner = { ...report.scope, name: 'inner', steps, tasks: [], children: [] }
      const outer = {
        ...inner,
        name: 'outer',
        steps: [],
        children: [{ phase: 'work', at: 0, askedAt: -200, report: inner }],
      }
      const children = [{ phase: 'work', at: 0, askedAt: -500, report: outer }]
      const scope = { ...report.scope, steps: [], tasks: [], children }
      const traces = await openTraces()
      traces.lost({ id: 'c1', line: 'phone', agent: 'desk' }, { ...report, scope })
      expect(treeOf(exporter.getFinishedSpans())).toEqual([
        'call 0–3000',
        '  close 3000–3000',
        '    file 2400–2450',
      ])
    }))

  it('[HO26] has its span in the trace of the call', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = aCall(world)
      await session.start()
      await clock.elapse(3_000)
      const report = await session.close()
      const traces = await openTraces()
      traces.lost(
        { id: 'c1', line: 'phone', agent: 'desk', trace: request.traceparent },
        { ...report, reason: 'host-lost' },
      )
      const call = named('call')
      expect(call.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c')
      expect(call.parentSpanContext?.spanId).toBe('b7ad6b7169203331')
      expect(ms(call.endTime)).toBe(Date.parse(report.askedAt) + report.took)
      expect(treeOf(exporter.getFinishedSpans()).slice(0, 3)).toEqual([
        'call 0–3000 error host-lost',
        '  close 3000–3000',
        '    line 3000–3000',
      ])
    }))
})

describe('tracing', () => {
  const modelsOf = (): Models => ({ llm: new ScriptedLlm(), tts: new ScriptedTts() })

  it('[HO27] is off without the package, and passes the trace on', async () => {
    const missing = Object.assign(new Error('no such package'), { code: 'ERR_MODULE_NOT_FOUND' })
    const { logger, lines } = aLogger()
    const traces = await openTraces({ load: () => Promise.reject(missing), logger })
    const trace = traces.call({ id: 'c1', line: 'phone', parent: request.traceparent })
    const models = modelsOf()
    expect(trace.models(models)).toBe(models)
    expect(trace.traceparent).toBe(request.traceparent)
    expect(lines).toEqual([])
    await openTraces({ load: () => Promise.reject(new Error('broken')), logger })
    expect(lines).toHaveLength(1)
  })

  it('[HO27] is off without an SDK, or if the call is not sampled, and passes the trace on', async () => {
    api.trace.disable()
    const off = (await openTraces()).call({ id: 'c1', line: 'phone', parent: request.traceparent })
    expect(off.traceparent).toBe(request.traceparent)
    expect((await openTraces()).call({ id: 'c1', line: 'phone' }).traceparent).toBeUndefined()
    const models = modelsOf()
    expect(off.models(models)).toBe(models)
    api.trace.setGlobalTracerProvider(provider)
    const unsampled = request.traceparent.replace(/01$/, '00')
    const skipped = (await openTraces()).call({ id: 'c1', line: 'phone', parent: unsampled })
    expect(skipped.models(models)).toBe(models)
    expect(skipped.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-\w{16}-00$/)
  })

  it('[HO27] affects no call if the SDK throws', () =>
    inVirtualTime(async (world) => {
      const throws = (): never => {
        throw new Error('the exporter is broken')
      }
      const span = {
        isRecording: () => true,
        spanContext: () => ({ traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceFlags: 1 }),
        setAttributes: throws,
        setStatus: throws,
        end: throws,
      }
      let spans = 0
      const startSpan = (name: string): typeof span => {
        spans++
        return name.startsWith('chat') ? throws() : span
      }
      const broken = {
        ...api,
        context: { with: throws },
        trace: {
          setSpan: api.trace.setSpan,
          setSpanContext: api.trace.setSpanContext,
          getTracer: () => ({ startSpan }),
        },
      }
      const { session, caller, clock } = await aTracedCall(world, {
        load: async () => broken,
        answers: ['Yes.'],
      })
      await session.start()
      await caller.says('Hello?')
      await caller.pauses(3_000)
      await clock.elapse(1_000)
      const report = await session.close()
      expect(report).toMatchObject({ clean: true, errors: [] })
      expect(report.transcript.map((item) => item.type === 'message' && item.text)).toEqual([
        'Hello?',
        'Yes.',
      ])
      expect(spans).toBeGreaterThan(5)
    }))

  it('[HO27] makes the span of a request active while the model makes it', () =>
    inVirtualTime(async (world) => {
      let active: api.Context | undefined
      const seen: (string | undefined)[] = []
      const load = async () => ({
        ...api,
        context: {
          with: (context: api.Context, work: () => unknown) => {
            active = context
            try {
              return work()
            } finally {
              active = undefined
            }
          },
        },
      })
      const llm = {
        name: 'llm',
        open: async () => ({
          async *generate() {
            seen.push(active && api.trace.getSpan(active)?.spanContext().spanId)
            yield { type: 'text', text: 'Yes.' }
          },
        }),
      }
      const { session, caller, clock } = await aTracedCall(world, { load, models: { llm } as never })
      await session.start()
      caller.types('Hello')
      await clock.elapse(2_000)
      await session.close()
      expect(seen).toEqual([named('chat llm').spanContext().spanId])
    }))

  it('leaves a model that misbehaves to the session', () =>
    inVirtualTime(async (world) => {
      const llm = { name: 'llm', open: async () => ({}) }
      const { session } = await aTracedCall(world, { models: { llm } as never })
      await expect(session.start()).rejects.toThrow('generate')
      await session.closed
    }))

  it('[HO26] ends the span of a call that never gets a session', async () => {
    const trace = (await openTraces()).call({ id: 'c1', line: 'phone' })
    trace.failed(new RangeError('no'))
    expect(named('call')).toMatchObject({
      status: { code: api.SpanStatusCode.ERROR },
      attributes: { 'error.type': 'RangeError' },
    })
  })
})
