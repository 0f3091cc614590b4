import { APIConnectionError, llm, type APIConnectOptions } from '@livekit/agents'

export interface FakeLlmOptions {
  /** The URL of its requests. It answers with the response. */
  readonly url: string
  /** A tool that it calls after its first answer. */
  readonly calls?: string
  /** Whether it goes on reading when its signal aborts. */
  readonly ignoresSignal?: boolean
}

/** An LLM client like those of the plugins: one HTTP request per answer. */
export class FakeLlm extends llm.LLM {
  readonly options: FakeLlmOptions
  called = false

  constructor(options: FakeLlmOptions) {
    super()
    this.options = options
  }

  override label(): string {
    return 'fake.llm'
  }

  override chat({ chatCtx, toolCtx, connOptions }: Parameters<llm.LLM['chat']>[0]): llm.LLMStream {
    return new FakeLlmStream(this, {
      chatCtx,
      ...(toolCtx ? { toolCtx } : {}),
      connOptions: connOptions ?? { maxRetry: 3, retryIntervalMs: 2_000, timeoutMs: 10_000 },
    })
  }
}

interface StreamOptions {
  chatCtx: llm.ChatContext
  toolCtx?: llm.ToolContextLike
  connOptions: APIConnectOptions
}

class FakeLlmStream extends llm.LLMStream {
  readonly #owner: FakeLlm

  constructor(owner: FakeLlm, options: StreamOptions) {
    super(owner, options)
    this.#owner = owner
  }

  protected override async run(): Promise<void> {
    const { url, calls, ignoresSignal = false } = this.#owner.options
    const response = await fetch(url, ignoresSignal ? {} : { signal: this.abortController.signal })
    if (!response.ok) throw new APIConnectionError({ message: `status ${response.status}` })
    for await (const piece of response.body!) {
      const content = new TextDecoder().decode(piece)
      this.queue.put({ id: 'answer', delta: { role: 'assistant', content } })
    }
    if (calls === undefined || this.#owner.called) return
    this.#owner.called = true
    const call = llm.FunctionCall.create({ callId: 'call', name: calls, args: '{}' })
    this.queue.put({ id: 'answer', delta: { role: 'assistant', toolCalls: [call] } })
  }
}
