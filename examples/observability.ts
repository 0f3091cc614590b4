import assert from 'node:assert/strict'
import { trace as otel } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { Agent, Session } from 'endwell'
import { Metrics, jsonLog, mergeMetrics, metricsResponse, openTraces, traceparentOf } from 'endwell/host'
import { ScriptedLlm, ScriptedTts, TestLine } from 'endwell/testing'

// Yours: the SDK, with an exporter of your choice. This one keeps the spans in memory.
const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
otel.setGlobalTracerProvider(provider)

const agent = new Agent({ name: 'desk', instructions: 'You answer the phone.' })
const models = {
  llm: new ScriptedLlm({ answers: ['At nine.'] }),
  tts: new ScriptedTts({ msPerCharacter: 1 }),
}
const line = new TestLine()
const request = {
  headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
}
const lines: string[] = []

// #region follow
const metrics = new Metrics()
const traces = await openTraces()
const logger = jsonLog({ level: 'info', write: (text) => lines.push(text) })

const id = 'call-1'
const trace = traces.call({ id, line: 'phone', agent: agent.name, parent: traceparentOf(request.headers) })
const session = new Session({ id, agent, line, logger, models: trace.models(models) })
metrics.follow(session, { line: 'phone' })
trace.follow(session)
await session.start()
// #endregion

line.caller.types('When do you open?')
await line.caller.hears('At nine.')
await session.close()

// #region serve
const response = metricsResponse(await mergeMetrics([await metrics.snapshot()]))
// #endregion

const text = await response.text()
assert.match(text, /endwell_calls_total\{line="phone",reason="requested",clean="true"\} 1/)
assert.deepEqual(
  new Set(exporter.getFinishedSpans().map((span) => span.spanContext().traceId)),
  new Set(['0af7651916cd43dd8448eb211c80319c']),
)
assert.ok(lines.every((each) => JSON.parse(each).call === id))
await provider.shutdown()
