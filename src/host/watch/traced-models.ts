import type {
  Llm,
  LlmChunk,
  LlmRequest,
  Realtime,
  Stt,
  SttEvents,
  SttStream,
  Tts,
  Usage,
} from '../../parts/index.ts'
import type { Models } from '../../session/index.ts'
import { observed, type StreamWatch } from './observed.ts'

/** A model, as a span names it. */
export interface TracedPart {
  readonly name: string
  readonly provider?: string
  readonly model?: string
}

/** One request to a model. */
export interface TracedRequest {
  /** Runs the code that makes the request. */
  run<T>(work: () => T): T
  /** The first piece of its answer is there. Later calls do nothing. */
  answered(): void
  said(text: string): void
  used(usage: Usage): void
  /** `stopped`: it was told to stop, because of an interruption or a close. */
  ended(stopped?: boolean): void
  failed(error: unknown): void
}

/** Answers of a realtime model in progress at once. A model that starts more than that does not end them. */
const MAX_ANSWERS = 20

/** Records what the models of a call do. Must not throw. */
export interface ModelTracer {
  chat(model: TracedPart, request?: LlmRequest): TracedRequest
  speech(voice: TracedPart): TracedRequest
  /** The first preliminary words of an utterance, and those that follow. */
  interim(): void
  /** The transcript of what was said so far was requested. */
  flushed(): void
  final(stt: TracedPart, text: string): void
}

/**
 * Wraps models, so that each of their requests is recorded when it really begins and ends. The session's own events do not tell
 * that. Parts that misbehave are passed on as they are: the session reports them.
 */
export function tracedModels(models: Models, tracer: ModelTracer): Models {
  if (models.realtime) {
    const voice = models.tts ? { tts: tracedTts(models.tts, tracer) } : {}
    return { ...models, realtime: tracedRealtime(models.realtime, tracer), ...voice }
  }
  const { llm, tts, stt } = models
  return {
    ...models,
    llm: tracedLlm(llm, tracer),
    tts: tracedTts(tts, tracer),
    ...(stt ? { stt: tracedStt(stt, tracer) } : {}),
  }
}

function tracedLlm(llm: Llm, tracer: ModelTracer): Llm {
  const { name, provider, model } = llm
  const part = {
    name,
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
  }
  return {
    ...part,
    ...membersOf(llm),
    open: async (context) => {
      const client = await llm.open(context)
      if (!has(client, ['generate'])) return client
      return {
        generate: (request, signal) =>
          streamed(tracer.chat(part, request), signal, chunkOfAnswer, () => client.generate(request, signal)),
      }
    },
  }
}

function chunkOfAnswer(request: TracedRequest, chunk: LlmChunk): void {
  if (chunk.type === 'usage') return request.used(chunk.usage)
  request.answered()
  return chunk.type === 'text' ? request.said(chunk.text) : undefined
}

function tracedTts(tts: Tts, tracer: ModelTracer): Tts {
  const { name, product, speaks } = tts
  return {
    name,
    product,
    ...membersOf(tts),
    speaks,
    open: async (context, setup) => {
      const voice = await tts.open(context, setup)
      if (!has(voice, ['speak'])) return voice
      const sound = (request: TracedRequest): void => request.answered()
      return {
        speak: (text, signal) =>
          streamed(tracer.speech({ name }), signal, sound, () => voice.speak(text, signal)),
      }
    },
  }
}

/** Makes a request whose answer is a stream. */
function streamed<T>(
  request: TracedRequest,
  signal: AbortSignal,
  chunk: (request: TracedRequest, chunk: T) => void,
  make: () => AsyncIterable<T>,
): AsyncIterable<T> {
  const watch: StreamWatch<T> = {
    first: (work) => request.run(work),
    chunk: (each) => chunk(request, each),
    ended: () => request.ended(signal.aborted),
    failed: (error) => (signal.aborted ? request.ended(true) : request.failed(error)),
  }
  try {
    return observed(request.run(make), watch)
  } catch (error) {
    watch.failed(error)
    throw error
  }
}

function tracedStt(stt: Stt, tracer: ModelTracer): Stt {
  const { name, product, hears, endsTurns = false } = stt
  return {
    name,
    product,
    ...membersOf(stt),
    hears,
    endsTurns,
    open: async (context, events, setup) => {
      const traced: SttEvents = {
        ...events,
        interim: (text) => {
          tracer.interim()
          events.interim(text)
        },
        final: (text, details) => {
          tracer.final({ name }, text)
          events.final(text, details)
        },
      }
      const stream = await stt.open(context, traced, setup)
      return has(stream, ['push', 'flush', 'configure', 'detach']) ? tracedStream(stream, tracer) : stream
    },
  }
}

function tracedStream(stream: SttStream, tracer: ModelTracer): SttStream {
  return {
    push: (frame) => stream.push(frame),
    flush: () => {
      tracer.flushed()
      stream.flush()
    },
    configure: (change) => stream.configure(change),
    detach: () => stream.detach(),
  }
}

function tracedRealtime(realtime: Realtime, tracer: ModelTracer): Realtime {
  const { name, product, hears, speaks, writes = false } = realtime
  return {
    name,
    product,
    ...membersOf(realtime),
    hears,
    speaks,
    writes,
    open: (context, setup, events) => {
      /** The answers in progress, by the model's ids. */
      const answers = new Map<string, TracedRequest>()
      return realtime.open(context, setup, {
        // Sound goes straight to the session.
        ...events,
        userInterim: (text) => {
          tracer.interim()
          events.userInterim(text)
        },
        userFinal: (text) => {
          tracer.final({ name }, text)
          events.userFinal(text)
        },
        responseStarted: (response, asked) => {
          const [oldest] = answers.size < MAX_ANSWERS ? [response] : answers.keys()
          answers.get(oldest!)?.ended()
          answers.delete(oldest!)
          answers.set(response, tracer.chat({ name }))
          events.responseStarted(response, asked)
        },
        text: (response, text) => {
          answers.get(response)?.said(text)
          events.text(response, text)
        },
        usage: (usage) => {
          // The model does not say which answer it was for: the latest one, if it is still in progress.
          Array.from(answers.values()).at(-1)?.used(usage)
          events.usage(usage)
        },
        responseEnded: (response, how, error) => {
          const answer = answers.get(response)
          answers.delete(response)
          if (how === 'failed') answer?.failed(error)
          else answer?.ended(how === 'cancelled')
          events.responseEnded(response, how, error)
        },
      })
    },
  }
}

/** The session knows the models of a fallback by their names. */
function membersOf(part: object): object {
  return 'members' in part ? { members: part.members } : {}
}

function has<T extends object>(part: T | undefined, methods: readonly (keyof T)[]): boolean {
  return methods.every((method) => typeof part?.[method] === 'function')
}
