import { initializeLogger, llm, tts, voice } from '@livekit/agents'
import { AudioFrame } from '@livekit/rtc-node'
import { noop } from '../../../src/scope/index.ts'
import { ANSWER, FRAMES, RATE, SAMPLES_PER_FRAME, type CostSubject } from '../cost/cost-subject.ts'
import { FakeInput } from './fake-io.ts'

initializeLogger({ pretty: false, level: 'silent' })

const frame = new AudioFrame(new Int16Array(SAMPLES_PER_FRAME), RATE, 1, SAMPLES_PER_FRAME)

class QuickLlm extends llm.LLM {
  override label(): string {
    return 'quick.llm'
  }

  override chat({ chatCtx, toolCtx, connOptions }: Parameters<llm.LLM['chat']>[0]): llm.LLMStream {
    return new QuickLlmStream(this, {
      chatCtx,
      ...(toolCtx ? { toolCtx } : {}),
      connOptions: connOptions ?? { maxRetry: 3, retryIntervalMs: 2_000, timeoutMs: 10_000 },
    })
  }
}

class QuickLlmStream extends llm.LLMStream {
  protected override async run(): Promise<void> {
    this.queue.put({ id: 'answer', delta: { role: 'assistant', content: ANSWER } })
  }
}

class QuickTts extends tts.TTS {
  override label = 'quick.tts'

  constructor() {
    super(RATE, 1, { streaming: true })
  }

  override synthesize(): tts.ChunkedStream {
    throw new Error('only streaming is supported')
  }

  override stream({ connOptions }: Parameters<tts.TTS['stream']>[0] = {}): tts.SynthesizeStream {
    return new QuickTtsStream(this, connOptions)
  }
}

class QuickTtsStream extends tts.SynthesizeStream {
  override label = 'quick.tts.stream'

  protected override async run(): Promise<void> {
    for await (const text of this.input) {
      if (this.abortSignal.aborted) return
      if (typeof text === 'symbol') continue
      this.markStarted()
      for (let left = FRAMES; left > 0 && !this.queue.closed; left--)
        this.queue.put({ requestId: 'speech', segmentId: 'speech', frame, final: left === 1 })
    }
    if (!this.queue.closed) this.queue.put(tts.SynthesizeStream.END_OF_STREAM)
  }
}

/** Takes every frame at once, and reports playout only when it is cleared. */
class OpenOutput extends voice.AudioOutput {
  readonly #on: { play: () => void; clear: () => void } = { play: noop, clear: noop }
  #playing = false

  constructor() {
    super(RATE)
  }

  /** Resolves when the output is next made to play, or to stop. */
  next(what: 'play' | 'clear'): Promise<void> {
    return new Promise((resolve) => {
      this.#on[what] = resolve
    })
  }

  override async captureFrame(captured: AudioFrame): Promise<void> {
    await super.captureFrame(captured)
    this.#on.play()
    if (!this.#playing) this.onPlaybackStarted(Date.now())
    this.#playing = true
  }

  override clearBuffer(): void {
    this.#on.clear()
    if (!this.#playing) return
    this.#playing = false
    queueMicrotask(() => this.onPlaybackFinished({ playbackPosition: 0, interrupted: true }))
  }
}

export const subject: CostSubject = {
  imports: [import.meta.resolve('@livekit/agents')],
  packages: ['@livekit/agents', '@livekit/rtc-node'],
  start: async () => {
    const session = new voice.AgentSession({
      llm: new QuickLlm(),
      tts: new QuickTts(),
      vad: null,
      turnHandling: { turnDetection: 'manual' },
    })
    const output = new OpenOutput()
    session.input.audio = new FakeInput()
    session.output.audio = output
    await session.start({ agent: new voice.Agent({ instructions: 'You answer the phone.' }) })
    return {
      reply() {
        const heard = output.next('play')
        session.generateReply({ userInput: 'Hello.' })
        return heard
      },
      async interrupt() {
        const cleared = output.next('clear')
        const interrupted = session.interrupt()
        await cleared
        interrupted.await.catch(noop)
      },
      close: () => session.close(),
    }
  },
}
