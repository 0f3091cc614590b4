import type { Attributes } from '@opentelemetry/api'
import type { LlmRequest, Usage } from '../../parts/index.ts'
import { type Clock } from '../../scope/index.ts'
import type { Models, Session, SessionReport, Speech, TurnLatency } from '../../session/index.ts'
import type { CallRecord } from '../journal/journal.ts'
import { closeSpans } from './close-spans.ts'
import { inputMessages, outputMessages } from './message-json.ts'
import { errorType, type OpenSpan, type Spans } from './spans.ts'
import { tracedModels, type ModelTracer, type TracedPart, type TracedRequest } from './traced-models.ts'
import type { CallTrace, TracedCall } from './trace-types.ts'

/** Characters of an answer that are kept for a span with content. */
const MAX_SAID = 10_000

/** A turn of the caller: from the first words of it to the end of the last thing that was done for it. */
interface TurnSpan {
  readonly span: OpenSpan
  lastAt: number
}

/**
 * The spans of a call:
 *
 *   call
 *   ├─ turn                       from the caller's words to the end of the answer
 *   │  ├─ speech_to_text          from the first words to the final transcript
 *   │  ├─ chat {model}            one request to the language model, or one answer of a realtime model
 *   │  ├─ execute_tool {tool}
 *   │  └─ text_to_speech          from the request for sound to its last piece
 *   └─ close
 *      └─ {step}                  every step and task of the close, at its real time
 *
 * What is said outside of turns, such as the greeting, is directly below the call.
 */
export class OtelCallTrace implements CallTrace, ModelTracer {
  readonly #spans: Spans
  readonly #clock: Clock
  readonly #content: boolean
  readonly #ids: Attributes
  readonly #call: OpenSpan
  /** The date of the clock's zero. Taken once: the system's date may jump during a call. */
  readonly #epoch: number
  /** The turn that is being answered. */
  #turn: TurnSpan | undefined
  /** The next turn, once words of it are there. */
  #next: TurnSpan | undefined
  #turns = 0
  /** The utterance that is being transcribed, and the turn that took its words before they were final. */
  #utterance: { readonly at: number; turn?: TurnSpan } | undefined
  #flushedAt: number | undefined
  /** Spans of requests and tools that have not ended. */
  readonly #open = new Set<OpenSpan>()
  readonly #tools = new Map<string, OpenSpan>()
  /** The turn in which each speech began. Its latency is known a little later. */
  readonly #answered = new WeakMap<Speech, OpenSpan>()
  #hasEnded = false

  constructor(spans: Spans, call: TracedCall, clock: Clock, content: boolean) {
    this.#spans = spans
    this.#clock = clock
    this.#content = content
    this.#epoch = clock.date() - clock.now()
    this.#ids = idsOf(call.id)
    this.#call = spans.root('call', { at: this.#now, attributes: callAttributes(call) }, call.parent)
  }

  get isRecording(): boolean {
    return this.#call.isRecording
  }

  get traceparent(): string | undefined {
    return this.#call.traceparent
  }

  models(models: Models): Models {
    return tracedModels(models, this)
  }

  follow(session: Session): void {
    session.on('user', () => this.#takeTurn())
    session.on('speaking', ({ speech }) => {
      if (this.#turn) this.#answered.set(speech, this.#turn.span)
    })
    session.on('latency', ({ speech, ...latency }) =>
      this.#answered.get(speech)?.set(latencyAttributes(latency)),
    )
    session.on('spoken', () => this.#touch(this.#turn))
    session.on('tool', ({ id, name, input }) => this.#toolBegan(id, name, input))
    session.on('tool-done', ({ id, outcome }) => this.#toolEnded(id, outcome))
    session.on('closed', (report) => this.#closed(report))
  }

  failed(error: unknown): void {
    this.#call.fail(errorType(error), error)
    this.#call.end(this.#now)
  }

  // ── turns ──

  /** The caller has finished a turn. */
  #takeTurn(): void {
    const utterance = this.#utterance
    this.#endTurn(this.#turn)
    this.#turn = this.#nextTurn(utterance?.at ?? this.#now)
    this.#next = undefined
    this.#turn.span.set({ 'endwell.turn.number': ++this.#turns })
    if (utterance) utterance.turn = this.#turn
  }

  #nextTurn(at: number): TurnSpan {
    this.#next ??= {
      span: this.#spans.child('turn', { parent: this.#call, at, attributes: this.#ids }),
      lastAt: at,
    }
    this.#touch(this.#next)
    return this.#next
  }

  #touch(turn: TurnSpan | undefined): void {
    if (turn) turn.lastAt = this.#now
  }

  #endTurn(turn: TurnSpan | undefined): void {
    turn?.span.end(turn.lastAt)
  }

  // ── models ──

  chat({ name, provider = name, model = name }: TracedPart, request?: LlmRequest): TracedRequest {
    // An answer that is prepared before the turn is certain answers the words that are being heard.
    const hasWords = this.#next !== undefined || (this.#utterance && !this.#utterance.turn)
    const turn =
      hasWords && request?.messages.at(-1)?.role === 'user'
        ? this.#nextTurn(this.#utterance?.at ?? this.#now)
        : this.#turn
    return this.#request(`chat ${model}`, turn, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      ...(this.#content && request ? { 'gen_ai.input.messages': inputMessages(request.messages) } : {}),
    })
  }

  speech({ name }: TracedPart): TracedRequest {
    return this.#request('text_to_speech', this.#turn, {
      'gen_ai.operation.name': 'text_to_speech',
      'gen_ai.provider.name': name,
    })
  }

  #request(name: string, turn: TurnSpan | undefined, attributes: Attributes): TracedRequest {
    const at = this.#now
    const span = this.#begin(name, turn, at, attributes, true)
    let hasAnswered = false
    let text = ''
    const end = (): void => {
      if (this.#content && text !== '') span.set({ 'gen_ai.output.messages': outputMessages(text) })
      this.#end(span, turn)
    }
    return {
      run: (work) => span.run(work),
      answered: () => {
        if (!hasAnswered) span.set({ 'gen_ai.response.time_to_first_chunk': (this.#now - at) / 1_000 })
        hasAnswered = true
      },
      said: (piece) => {
        if (this.#content && text.length < MAX_SAID) text += piece
      },
      used: (usage) => span.set(usageAttributes(usage)),
      ended: (stopped = false) => {
        if (stopped) span.set({ 'endwell.stopped': true })
        end()
      },
      failed: (error) => {
        span.fail(errorType(error), error)
        end()
      },
    }
  }

  interim(): void {
    this.#utterance ??= { at: this.#now }
  }

  flushed(): void {
    this.#flushedAt = this.#now
  }

  final({ name }: TracedPart, text: string): void {
    const { at = this.#flushedAt ?? this.#now, turn } = this.#utterance ?? {}
    this.#utterance = undefined
    this.#flushedAt = undefined
    if (text.trim() === '' || this.#hasEnded) return
    const span = this.#begin('speech_to_text', turn ?? this.#nextTurn(at), at, {
      'gen_ai.operation.name': 'speech_to_text',
      'gen_ai.provider.name': name,
      ...(this.#content ? { 'endwell.transcript': text } : {}),
    })
    this.#end(span, turn)
  }

  // ── tools ──

  #toolBegan(id: string, name: string, input: string): void {
    const span = this.#begin(`execute_tool ${name}`, this.#turn, this.#now, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.type': 'function',
      ...(this.#content ? { 'gen_ai.tool.call.arguments': input } : {}),
    })
    this.#tools.set(id, span)
  }

  #toolEnded(
    id: string,
    { failed, error, output }: { failed: boolean; error?: unknown; output: string },
  ): void {
    const span = this.#tools.get(id)
    if (!span) return
    this.#tools.delete(id)
    if (this.#content) span.set({ 'gen_ai.tool.call.result': output })
    if (failed) span.fail(error === undefined ? 'tool_failed' : errorType(error), error)
    this.#end(span, this.#turn)
  }

  // ── spans ──

  get #now(): number {
    return this.#epoch + this.#clock.now()
  }

  #begin(
    name: string,
    turn: TurnSpan | undefined,
    at: number,
    attributes: Attributes,
    client = false,
  ): OpenSpan {
    const parent = turn?.span ?? this.#call
    const span = this.#spans.child(name, { parent, at, client, attributes: { ...this.#ids, ...attributes } })
    this.#open.add(span)
    return span
  }

  #end(span: OpenSpan, turn: TurnSpan | undefined): void {
    if (!this.#open.delete(span)) return
    span.end(this.#now)
    this.#touch(turn)
  }

  /** The session has closed: ends everything. A request that has not ended by now was abandoned. */
  #closed(report: SessionReport): void {
    const now = this.#now
    this.#hasEnded = true
    for (const span of this.#open) {
      span.fail('abandoned')
      span.end(now)
    }
    this.#open.clear()
    this.#tools.clear()
    this.#endTurn(this.#turn)
    this.#endTurn(this.#next)
    this.#turn = undefined
    this.#next = undefined
    closeSpans(this.#spans, this.#call, report, now - report.took, this.#ids)
    endCall(this.#call, report, now)
  }
}

/** Emits the span of a call whose process is gone. The spans that this process has emitted are in the same trace. */
export function traceLost(
  spans: Spans,
  call: Pick<CallRecord, 'id' | 'line' | 'agent' | 'trace'>,
  report: SessionReport,
): void {
  const { id, line, agent, trace } = call
  const askedAt = Date.parse(report.askedAt)
  const span = spans.root(
    'call',
    { at: askedAt - report.lived, attributes: callAttributes({ id, line, agent }) },
    trace,
  )
  closeSpans(spans, span, report, askedAt, idsOf(id))
  endCall(span, report, askedAt + report.took)
}

function endCall(call: OpenSpan, report: SessionReport, at: number): void {
  const { reason, ended, clean, usage, error } = report
  call.set({
    'endwell.reason': reason,
    'endwell.ended': ended,
    'endwell.clean': clean,
    'endwell.turns': usage.turns,
    'endwell.tool_calls': usage.toolCalls,
    ...usageAttributes(usage),
  })
  if (ended === 'failed' || reason === 'host-lost') call.fail(error?.code ?? error?.name ?? reason)
  call.end(at)
}

const idsOf = (id: string): Attributes => ({ 'session.id': id, 'gen_ai.conversation.id': id })

function callAttributes({ id, line, agent }: TracedCall): Attributes {
  return {
    ...idsOf(id),
    'endwell.line': line,
    ...(agent === undefined ? {} : { 'gen_ai.agent.name': agent }),
  }
}

function latencyAttributes({ ms, stages, heard }: TurnLatency): Attributes {
  const parts = Object.entries(stages).map(([stage, part]) => [`endwell.turn.stage.${stage}`, part / 1_000])
  return { 'endwell.turn.latency': ms / 1_000, 'endwell.turn.heard': heard, ...Object.fromEntries(parts) }
}

/** Only what the provider reports. */
function usageAttributes({ inputTokens, outputTokens, cachedTokens }: Usage): Attributes {
  return {
    ...(inputTokens === undefined ? {} : { 'gen_ai.usage.input_tokens': inputTokens }),
    ...(outputTokens === undefined ? {} : { 'gen_ai.usage.output_tokens': outputTokens }),
    ...(cachedTokens === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': cachedTokens }),
  }
}
