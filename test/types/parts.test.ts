import { describe, expect, expectTypeOf, it } from 'vitest'

import {
  FallbackError,
  noSttEvents,
  type Filter,
  PartTimeoutError,
  batchStt,
  inlet,
  isFrame,
  resampledStt,
  sentenceTts,
  sentences,
  silentLogger,
  type EventOf,
  type Line,
  type LineConnection,
  type LineEvents,
  type Llm,
  type LlmChunk,
  type LlmClient,
  type LlmRequest,
  type Logger,
  type Message,
  type PartContext,
  type Realtime,
  type RealtimeEvents,
  type SpokenChunk,
  type Stt,
  type SttEvents,
  type SttStream,
  type Tts,
  type Vad,
  type VadEvents,
  type Voice,
} from '../../src/parts/index.ts'
import {
  fallbackLlm,
  fallbackStt,
  fallbackTts,
  type Fallback,
  type FallbackChange,
} from '../../src/parts/fallback/index.ts'
import { bytesOf, type AudioFormat, muLaw, pcm, type AudioFrame } from '../../src/audio/index.ts'
import type { ErrorCode, Network, Scope } from '../../src/scope/index.ts'
import type { Models, SessionOptions } from '../../src/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const parts: { stt: Stt; llm: Llm; tts: Tts; vad: Vad; line: Line }

describe('a part', () => {
  it('can be a plain class that imports no base class', () => {
    class EchoLlm {
      readonly name = 'echo'
      async open({ scope, network, logger }: PartContext) {
        expectTypeOf(scope).toEqualTypeOf<Scope<string>>()
        expectTypeOf(network).toEqualTypeOf<Network>()
        expectTypeOf(logger).toEqualTypeOf<Logger>()
        return {
          async *generate({ messages }: LlmRequest, signal: AbortSignal) {
            signal.throwIfAborted()
            for (const message of messages)
              if (message.role === 'user') yield { type: 'text' as const, text: message.text }
          },
        }
      }
    }
    class DeafStt {
      readonly name = 'deaf'
      readonly hears = [pcm(16_000)]
      async open(_: PartContext, events: SttEvents) {
        return { push() {}, flush: () => events.endOfTurn(), configure() {}, detach() {} }
      }
    }
    class QuietTts {
      readonly name = 'quiet'
      readonly speaks = [pcm(24_000)]
      async open() {
        const samples = new Int16Array(480)
        return {
          async *speak(text: AsyncIterable<string>) {
            for await (const _ of text) yield { frame: { samples, sampleRate: this.rate } }
          },
          rate: 24_000 as const,
        }
      }
    }
    class LoopLine {
      readonly name = 'loop'
      readonly hears = muLaw
      readonly speaks = muLaw
      async open(_: PartContext, events: LineEvents): Promise<LineConnection> {
        return { play: (frame) => events.frame(frame), mark: (id) => events.marked(id), clear() {} }
      }
    }
    expectTypeOf<EchoLlm>().toExtend<Llm>()
    expectTypeOf<DeafStt>().toExtend<Stt>()
    expectTypeOf<QuietTts>().toExtend<Tts>()
    expectTypeOf<{ stt: DeafStt; llm: EchoLlm; tts: QuietTts }>().toExtend<Models>()
    expectTypeOf<LoopLine>().toExtend<SessionOptions['line']>()
  })

  it('must have every method, and a supported rate', () => {
    expectTypeOf<Omit<SttStream, 'detach'>>().not.toExtend<SttStream>()
    expectTypeOf<Omit<LineConnection, 'clear'>>().not.toExtend<LineConnection>()
    expectTypeOf<Omit<Stt, 'hears'>>().not.toExtend<Stt>()
    types(() => {
      // @ts-expect-error opening is asynchronous
      const llm: Llm = { name: 'now', open: () => ({ async *generate() {} }) }
      // @ts-expect-error a part has a name, for reports
      const vad: Vad = { hears: [], open: async () => ({ push() {} }) }
      const frames = {} as () => AsyncIterable<AudioFrame>
      // @ts-expect-error a voice yields chunks, not bare frames
      const voice: Voice = { speak: frames }
      return [llm, vad, voice]
    })
  })
})

describe('the events of a part', () => {
  it('have known names and typed arguments', () =>
    types((stt = {} as SttEvents, line = {} as LineEvents, vad = {} as VadEvents) => {
      stt.final('Hello.')
      // @ts-expect-error no such event
      stt.finished('Hello.')
      // @ts-expect-error text is a string
      stt.interim({ text: 'Hel' })
      line.marked(1)
      line.marked(1, 240)
      // @ts-expect-error marks are numbers
      line.marked('1')
      // @ts-expect-error when the speech began is part of the event
      vad.started()
    }))

  it('say how a response ended with a known word', () =>
    types((events = {} as RealtimeEvents) => {
      events.responseEnded('r1', 'completed')
      events.responseEnded('r1', 'failed', new Error('overloaded'))
      // @ts-expect-error not a way to end
      events.responseEnded('r1', 'interrupted')
      // @ts-expect-error the input of a tool call is JSON text
      events.toolCall('r1', { id: 'c1', name: 'book', input: { day: 'Sunday' } })
    }))

  it('become tuples that an inlet passes on', () =>
    types((sink = {} as { push(event: EventOf<VadEvents>): void }) => {
      expectTypeOf<EventOf<VadEvents>>().toEqualTypeOf<
        ['started', ago: number] | ['stopped', ago: number] | ['failed', error: unknown]
      >()
      const shape = { started: ['ms'], stopped: ['ms'], failed: ['error'] } as const
      expectTypeOf(inlet<VadEvents>('vad', shape, sink, () => {})).toEqualTypeOf<VadEvents>()
      // @ts-expect-error every event has a shape
      inlet<VadEvents>('vad', { started: ['ms'] }, sink, () => {})
      // @ts-expect-error no such kind
      inlet<VadEvents>('vad', { ...shape, started: ['seconds'] }, sink, () => {})
    }))
})

describe('what a model gets and gives', () => {
  it('is told apart by role and by type', () =>
    types(async (message = {} as Message, client = {} as LlmClient) => {
      if (message.role === 'tool-result') expectTypeOf(message.failed).toEqualTypeOf<boolean>()
      if (message.role === 'agent') expectTypeOf(message.text).toEqualTypeOf<string>()
      // @ts-expect-error other vendors' word for the agent
      if (message.role === 'assistant') return
      const request: LlmRequest = { instructions: '', messages: [message], tools: [] }
      for await (const chunk of client.generate(request, new AbortController().signal)) {
        expectTypeOf(chunk).toEqualTypeOf<LlmChunk>()
        if (chunk.type === 'tool-call') expectTypeOf(chunk.input).toEqualTypeOf<string>()
        if (chunk.type === 'usage') expectTypeOf(chunk.usage.inputTokens).toEqualTypeOf<number | undefined>()
        // @ts-expect-error no such chunk
        if (chunk.type === 'reasoning') return
      }
      // @ts-expect-error generating needs a signal to stop it
      client.generate(request)
      // @ts-expect-error the messages of a request are read-only
      request.messages.push(message)
    }))

  it('is a frame and the words in it for a voice', () =>
    types(async (voice = {} as Voice, text = {} as AsyncIterable<string>) => {
      for await (const chunk of voice.speak(text, new AbortController().signal)) {
        expectTypeOf(chunk).toEqualTypeOf<SpokenChunk>()
        expectTypeOf(chunk.words?.[0]?.start).toEqualTypeOf<number | undefined>()
      }
      // @ts-expect-error text arrives in pieces
      voice.speak('Hello.', new AbortController().signal)
    }))
})

describe('formats', () => {
  it('are declared in lists by models, and one each by a line', () =>
    types(() => {
      const bytes = bytesOf({ samples: new Int16Array(1), sampleRate: 8_000 }, muLaw)
      expectTypeOf(bytes).toEqualTypeOf<Uint8Array>()
      expectTypeOf<Stt['hears']>().toEqualTypeOf<readonly AudioFormat[]>()
      expectTypeOf<Tts['speaks']>().toEqualTypeOf<readonly AudioFormat[]>()
      // @ts-expect-error no vendor has this rate
      pcm(44_100)
      // @ts-expect-error a line hears one format
      const line: Pick<Line, 'hears'> = { hears: [muLaw] }
      // @ts-expect-error a model lists its formats
      const vad: Pick<Vad, 'hears'> = { hears: muLaw }
      return [line, vad]
    }))

  it('are part of the setup of every part that takes or makes sound', () =>
    types(async (stt = {} as Stt, filter = {} as Filter, context = {} as PartContext) => {
      const stream = await stt.open(context, noSttEvents, { format: muLaw, keyTerms: [] })
      stream.configure({ keyTerms: ['IBAN'] })
      // @ts-expect-error the format of a stream does not change
      stream.configure({ format: muLaw, keyTerms: [] })
      const open = await filter.open(context, { format: muLaw })
      expectTypeOf(open.filter({} as AudioFrame)).toEqualTypeOf<AudioFrame | PromiseLike<AudioFrame>>()
      // @ts-expect-error without a format
      await filter.open(context)
    }))

  it('let a realtime model write only beside a TTS', () => {
    expectTypeOf<{ realtime: Realtime; tts: Tts; filter: Filter }>().toExtend<Models>()
    expectTypeOf<{ realtime: Realtime; llm: Llm }>().not.toExtend<Models>()
  })
})

describe('adapters and fallbacks', () => {
  it('return the kind of part that they take', () =>
    types(() => {
      const { stt, llm, tts, vad } = parts
      expectTypeOf(fallbackLlm([llm, llm])).toEqualTypeOf<Llm & Fallback<Llm>>()
      expectTypeOf(fallbackStt([stt], { replay: 5_000 })).toEqualTypeOf<Stt & Fallback<Stt>>()
      expectTypeOf(fallbackTts([tts])).toEqualTypeOf<Tts & Fallback<Tts>>()
      expectTypeOf(resampledStt(stt, muLaw)).toEqualTypeOf<Stt>()
      expectTypeOf(
        batchStt({ name: 'b', sampleRate: 16_000, vad, transcribe: async () => '' }),
      ).toEqualTypeOf<Stt>()
      // @ts-expect-error parts of different kinds cannot replace each other
      fallbackLlm([llm, tts])
      // @ts-expect-error only an STT replays audio
      fallbackTts([tts], { replay: 5_000 })
      // @ts-expect-error whole utterances need a VAD to cut them
      batchStt({ name: 'b', sampleRate: 16_000, transcribe: async () => '' })
      // @ts-expect-error an option that is not set is left out
      fallbackLlm([llm], { firstWithin: undefined })
    }))

  it('report their changes with known words', () =>
    types(() => {
      fallbackLlm([parts.llm], {
        onChange: ({ type, error }) => {
          expectTypeOf(type).toEqualTypeOf<'failed' | 'passed-over' | 'recovered'>()
          expectTypeOf(error).toEqualTypeOf<unknown>()
        },
      })
      expectTypeOf<FallbackChange['index']>().toEqualTypeOf<number>()
    }))

  it('split text into sentences as it comes', () =>
    types(async (text = {} as AsyncIterable<string>) => {
      for await (const sentence of sentences(text)) expectTypeOf(sentence).toEqualTypeOf<string>()
      const name = 'say'
      const sampleRate = 16_000
      expectTypeOf(sentenceTts({ name, sampleRate, async *synthesise() {} })).toEqualTypeOf<Tts>()
      // @ts-expect-error British spelling
      sentenceTts({ name, sampleRate, async *synthesize() {} })
    }))
})

describe('helpers of parts', () => {
  it('narrow what they check', () =>
    types((value = {} as unknown) => {
      if (isFrame(value)) expectTypeOf(value).toEqualTypeOf<AudioFrame>()
      expectTypeOf(silentLogger).toEqualTypeOf<Logger>()
    }))

  it('have errors whose code is an error code, and whose list cannot grow', () =>
    types((error = new FallbackError('llm', [])) => {
      expectTypeOf(error.code).toEqualTypeOf<ErrorCode>()
      expectTypeOf(error.errors).toEqualTypeOf<readonly unknown[]>()
      expectTypeOf(new PartTimeoutError('stt', 100).code).toEqualTypeOf<ErrorCode>()
      // @ts-expect-error misspelt
      return error.code === 'ALL_FAILD'
    }))

  it('open a realtime model with its setup and its events', () =>
    types(async (model = {} as Realtime, context = {} as PartContext, events = {} as RealtimeEvents) => {
      const setup = {
        hears: pcm(16_000),
        speaks: pcm(24_000),
        instructions: '',
        tools: [],
        messages: [],
        takesTurns: true,
      }
      const open = await model.open(context, setup, events)
      open.update({ instructions: 'Be brief.', tools: [] })
      // @ts-expect-error history is given once, when the model is opened
      open.update({ instructions: '', tools: [], messages: [] })
      // @ts-expect-error who takes turns must be decided
      await model.open(context, { instructions: '', tools: [], messages: [] }, events)
    }))
})
