import * as api from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { openTraces, traceparentOf, type TracesOptions } from '../../src/host/index.ts'
import { Agent, Session, type Models, type SessionTurnOptions } from '../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  type Faults,
  type LlmAnswer,
  type World,
} from '../../src/testing/index.ts'

export const request = {
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
export async function aTracedCall({ clock, random }: World, options: TracedCallOptions = {}) {
  const { answers = [], agent, models, tts, stt, intercept, turns, ...rest } = options
  const traces = await openTraces({ clock, ...rest })
  const trace = traces.call({ id: 'c1', line: 'phone', agent: 'desk', parent: traceparentOf(request) })
  const line = new TestLine()
  const llm = new ScriptedLlm({ answers, firstAfter: 100 })
  const session = new Session({
    id: 'c1',
    agent: agent ?? new Agent({ name: 'desk', instructions: 'The secret instructions.' }),
    models: trace.models({
      llm: Object.assign(llm, { provider: 'openai', model: 'gpt-5.4-mini' }),
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

export const ms = ([seconds, nanoseconds]: api.HrTime): number => seconds * 1_000 + nanoseconds / 1e6

/** An SDK that keeps the spans of a test in memory. To be called at the top of a test file. */
export function recordSpans() {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  beforeAll(() => void api.trace.setGlobalTracerProvider(provider))
  afterEach(() => exporter.reset())
  afterAll(async () => {
    api.trace.disable()
    await provider.shutdown()
  })
  return {
    provider,
    spans: () => exporter.getFinishedSpans(),
    tree: () => treeOf(exporter.getFinishedSpans()),
    named: (name: string) => exporter.getFinishedSpans().find((span) => span.name === name)!,
    /** Everything that was exported, as text. */
    text: () =>
      JSON.stringify(
        exporter
          .getFinishedSpans()
          .map(({ name, attributes, status, events }) => ({ name, attributes, status, events })),
      ),
  }
}

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
