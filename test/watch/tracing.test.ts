import * as api from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { openTraces } from '../../src/host/index.ts'
import { Agent, tool, type Models } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts, callTool, inVirtualTime, type World } from '../../src/testing/index.ts'
import { aCall, aLogger } from '../session/fixture.ts'
import { aTracedCall, ms, recordSpans, request } from './trace-fixture.ts'

const recorded = recordSpans()

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
    return recorded.text()
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
            recorded.spans().find(({ attributes }) => attributes['gen_ai.output.messages'])!.attributes[
              'gen_ai.output.messages'
            ],
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
      expect(recorded.tree()).toEqual(['call 0–3000', '  close 3000–3000', '    file 2400–2450'])
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
      const call = recorded.named('call')
      expect(call.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c')
      expect(call.parentSpanContext?.spanId).toBe('b7ad6b7169203331')
      expect(ms(call.endTime)).toBe(Date.parse(report.askedAt) + report.took)
      expect(recorded.tree().slice(0, 3)).toEqual([
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
    api.trace.setGlobalTracerProvider(recorded.provider)
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
      expect(seen).toEqual([recorded.named('chat llm').spanContext().spanId])
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
    expect(recorded.named('call')).toMatchObject({
      status: { code: api.SpanStatusCode.ERROR },
      attributes: { 'error.type': 'RangeError' },
    })
  })
})
