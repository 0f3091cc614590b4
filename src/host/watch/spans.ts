import type { Attributes, Context, Span } from '@opentelemetry/api'
import { callOut, clip, describeError, noop } from '../../scope/index.ts'
import { formatTraceparent, parseTraceparent } from './traceparent.ts'

export type OtelApi = Pick<
  typeof import('@opentelemetry/api'),
  'trace' | 'context' | 'ROOT_CONTEXT' | 'SpanKind' | 'SpanStatusCode' | 'isSpanContextValid'
>

/** Characters of a span's name: names of tools come from a model. */
const MAX_NAME = 100

export interface SpanStart {
  readonly parent?: OpenSpan | undefined
  /** Milliseconds since 1970. */
  readonly at: number
  /** Whether it is a request to a server. Default: false. */
  readonly client?: boolean
  readonly attributes?: Attributes
}

/** Starts spans. What the SDK or an exporter throws reaches no call (HO27). */
export class Spans {
  readonly #api: OtelApi
  /** Whether spans may contain the text of errors, which may quote what was said. */
  readonly #content: boolean

  constructor(api: OtelApi, content: boolean) {
    this.#api = api
    this.#content = content
  }

  /** Starts a root span, in the trace of `traceparent` if there is one. */
  root(name: string, start: SpanStart, traceparent: string | undefined): OpenSpan {
    const place = traceparent === undefined ? undefined : parseTraceparent(traceparent)
    const { trace, ROOT_CONTEXT } = this.#api
    return this.#start(
      name,
      start,
      place ? trace.setSpanContext(ROOT_CONTEXT, { ...place, isRemote: true }) : ROOT_CONTEXT,
    )
  }

  child(name: string, start: SpanStart): OpenSpan {
    return this.#start(name, start, start.parent?.context ?? this.#api.ROOT_CONTEXT)
  }

  #start(name: string, { at, client = false, attributes = {} }: SpanStart, parent: Context): OpenSpan {
    const { trace, SpanKind } = this.#api
    const span = callOut(
      () =>
        trace
          .getTracer('endwell')
          .startSpan(
            clip(name, MAX_NAME),
            { startTime: hrTime(at), kind: client ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes },
            parent,
          ),
      noop,
    )
    return new OpenSpan(this.#api, span, this.#content)
  }
}

/** A span that has begun. Ending it twice does nothing. */
export class OpenSpan {
  readonly #api: OtelApi
  readonly #content: boolean
  #span: Span | undefined
  /** The context in which its children start. */
  readonly context: Context | undefined
  readonly traceparent: string | undefined

  constructor(api: OtelApi, span: Span | undefined, content: boolean) {
    this.#api = api
    this.#span = span
    this.#content = content
    this.context = span && callOut(() => api.trace.setSpan(api.ROOT_CONTEXT, span), noop)
    const place = span && callOut(() => span.spanContext(), noop)
    this.traceparent = place && api.isSpanContextValid(place) ? formatTraceparent(place) : undefined
  }

  /** Whether somebody will see it. Nothing has to be recorded below a span that is not sampled. */
  get isRecording(): boolean {
    return callOut(() => this.#span?.isRecording(), noop) ?? false
  }

  set(attributes: Attributes): void {
    callOut(() => this.#span?.setAttributes(attributes), noop)
  }

  /** Marks it as failed. The text of the error is left out unless content was asked for. */
  fail(type: string, error?: unknown): void {
    const message = this.#content && error !== undefined ? { message: describeError(error).message } : {}
    this.set({ 'error.type': type })
    callOut(() => this.#span?.setStatus({ code: this.#api.SpanStatusCode.ERROR, ...message }), noop)
  }

  end(at: number): void {
    const span = this.#span
    this.#span = undefined
    callOut(() => span?.end(hrTime(at)), noop)
  }

  /** Runs `work` with this span as the active one, so that instrumented libraries add their spans below it. */
  run<T>(work: () => T): T {
    const { context } = this
    if (!context) return work()
    let ran = false
    const marked = (): T => {
      ran = true
      return work()
    }
    try {
      return this.#api.context.with(context, marked)
    } catch (error) {
      // Only the context manager failed: the work is done without it.
      if (!ran) return work()
      throw error
    }
  }
}

/** The class of an error: its code, or its name. */
export function errorType(error: unknown): string {
  const { code, name } = describeError(error)
  return code ?? name
}

/** The SDK takes a small number for a time since the start of the process; a pair is always a time since 1970. */
function hrTime(ms: number): [seconds: number, nanoseconds: number] {
  const micros = Math.round(ms * 1_000)
  return [Math.floor(micros / 1_000_000), (micros % 1_000_000) * 1_000]
}
