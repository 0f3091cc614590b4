import { pcm, silence } from '../../src/audio/index.ts'
import type {
  Line,
  LineConnection,
  LineEvents,
  Llm,
  LlmChunk,
  SpokenChunk,
  Stt,
  Tts,
} from '../../src/parts/index.ts'
import { LocalVad } from '../../src/providers/local/index.ts'
import { Agent, Session, tool, type Models } from '../../src/session/index.ts'

/** Silence, which all sessions share: the figures are those of the runtime, not of sound. Lines have frames of 20 ms. */
const frame = silence(20, 16_000)
/** A tenth of a second, as vendors send it. */
export const chunk = silence(100, 16_000)
export const CHUNKS_PER_SECOND = 10

/** A line whose caller hears everything at once. */
export class QuickLine implements Line {
  readonly name = 'line'
  readonly hears = pcm(16_000)
  readonly speaks = pcm(16_000)
  #events: LineEvents | undefined

  async open({ scope }: Parameters<Line['open']>[0], events: LineEvents): Promise<LineConnection> {
    this.#events = events
    const connection = {
      play() {},
      mark: (id: number) => queueMicrotask(() => events.marked(id)),
      clear() {},
      close() {},
      abort() {},
    }
    return scope.own('line', connection)
  }

  /** The caller is silent for a second. */
  hear(): void {
    for (let n = 0; n < 50; n++) this.#events!.frame(frame)
  }
}

/** Answers with a sentence, or calls tools first. */
export class QuickLlm implements Llm {
  readonly name = 'llm'
  readonly #tools: number

  constructor(tools = 0) {
    this.#tools = tools
  }

  async open() {
    const tools = this.#tools
    let calls = true
    return {
      async *generate(): AsyncGenerator<LlmChunk> {
        const now = calls
        // Before the first chunk: a session does not read past the limit of calls in one response.
        calls = !calls
        if (tools > 0 && now)
          for (let n = 0; n < tools; n++)
            yield { type: 'tool-call', id: `${n}`, name: 'look', input: `{"n":${n}}` }
        else yield { type: 'text', text: 'We are open from eight to six, from Monday to Friday.' }
      },
    }
  }
}

/** Speaks for a second. */
export const tts: Tts = {
  name: 'tts',
  speaks: [pcm(16_000)],
  async open() {
    return {
      async *speak(text: AsyncIterable<string>): AsyncGenerator<SpokenChunk> {
        for await (const _ of text) for (let n = 0; n < CHUNKS_PER_SECOND; n++) yield { frame: chunk }
      },
    }
  },
}

export const stt: Stt = {
  name: 'stt',
  hears: [pcm(16_000)],
  async open() {
    return { push() {}, flush() {}, configure() {}, detach() {} }
  },
}

const desk = new Agent({ instructions: 'You answer the phone.' })

/** The agent of sessions whose tools return at once. */
export const looking = new Agent({
  instructions: 'You answer the phone.',
  tools: { look: tool({ description: 'Looks something up', run: async () => 'found' }) },
})

/** The agent of sessions whose tools ignore their signal and never return. */
export const stuck = new Agent({
  instructions: 'You answer the phone.',
  tools: { look: tool({ description: 'Never returns', run: () => new Promise(() => {}) }) },
})

export interface Call {
  readonly session: Session
  readonly line: QuickLine
}

/** Starts calls one after another, as they come, and returns when all of them are live. */
export async function startCalls(
  count: number,
  options: { readonly agent?: Agent; readonly tools?: number; readonly closeTimeout?: number } = {},
): Promise<Call[]> {
  const { agent = desk, tools = 0, ...rest } = options
  const calls: Call[] = []
  for (let n = 0; n < count; n++) {
    const line = new QuickLine()
    const models: Models = { llm: new QuickLlm(tools), tts, stt, vad: new LocalVad() }
    const session = new Session({ agent, models, line, ...rest })
    await session.start()
    calls.push({ line, session })
  }
  return calls
}

export async function closeCalls(calls: readonly Call[]): Promise<void> {
  await Promise.all(calls.map(({ session }) => session.close()))
}
