import type { ListMessage, LiveEvent, LiveMessage } from '../../host/index.ts'
import type { SessionReport } from '../../session/index.ts'

/** Something that was said in a call, as the server tells it. */
export type Told =
  | { readonly type: 'understood'; readonly text: string }
  | {
      readonly type: 'said'
      /** As far as the caller heard it. */
      readonly text: string
      readonly how: string
      /** Milliseconds that the caller waited for it, if it is the answer to a turn. */
      readonly latency?: number
    }
  | { readonly type: 'tool'; readonly name: string; readonly output: string; readonly failed: boolean }
  | { readonly type: 'error'; readonly where: string; readonly message: string }

export interface CallStoryOptions {
  /** The URL of the server. */
  readonly url: string
  /** What the server requires. */
  readonly secret: string | undefined
  readonly listener: (told: Told) => void
}

/** Follows a call at the server that answers it, until its session has closed. */
export class CallStory {
  readonly told: Told[] = []
  /** Set once the session has closed, if the server tells. */
  report: SessionReport | undefined
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #listener: (told: Told) => void
  readonly #latencies = new Map<number, number>()

  constructor({ url, secret, listener }: CallStoryOptions) {
    this.#url = url
    this.#headers = secret ? { authorization: `Bearer ${secret}` } : {}
    this.#listener = listener
  }

  /** What the agent said, and the caller heard. */
  get said(): string {
    return this.told.flatMap((each) => (each.type === 'said' ? [each.text] : [])).join('\n')
  }

  /**
   * Follows a call that begins now. Resolves when its session has closed, if the server refuses to tell, or, as long as there is no
   * session, when the signal aborts.
   */
  async follow(call: string, signal: AbortSignal): Promise<void> {
    try {
      if (!(await this.#begins(call, signal))) return
      for await (const message of this.#messages<LiveMessage>(`/api/sessions/${call}/events`)) {
        if (message.type === 'closed') this.report = message.report
        else for (const event of message.events) this.#add(event)
      }
    } catch {
      // The server is gone, or the call was never answered. What was told counts.
    }
  }

  /** Resolves to whether there is a session for the call. */
  async #begins(call: string, signal: AbortSignal): Promise<boolean> {
    for await (const message of this.#messages<ListMessage>('/api/events', signal)) {
      if (message.type === 'sessions' && message.sessions.some(({ id }) => id === call)) return true
      if (message.type === 'session' && message.session.id === call) return true
    }
    return false
  }

  /** The messages of a stream of server-sent events. None if the server refuses. */
  async *#messages<T>(path: string, signal?: AbortSignal): AsyncGenerator<T> {
    const headers = this.#headers
    const response = await fetch(new URL(path, this.#url), { headers, ...(signal ? { signal } : {}) })
    const { ok, body } = response
    if (!ok) await body?.cancel()
    if (!ok || !body) return
    let rest = ''
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks)
        if (block.startsWith('data: ')) yield JSON.parse(block.slice('data: '.length)) as T
    }
  }

  #add(event: LiveEvent): void {
    if (event.type === 'latency') this.#latencies.set(event.speech, event.ms)
    else if (event.type === 'user') this.#tell({ type: 'understood', text: event.text })
    else if (event.type === 'spoken') {
      const latency = this.#latencies.get(event.speech)
      const { heard: text, how } = event
      this.#tell({ type: 'said', text, how, ...(latency === undefined ? {} : { latency }) })
    } else if (event.type === 'tool-done') {
      const { name, output, failed } = event
      this.#tell({ type: 'tool', name, output, failed })
    } else if (event.type === 'error')
      this.#tell({ type: 'error', where: event.where, message: event.error.message })
  }

  #tell(told: Told): void {
    this.told.push(told)
    this.#listener(told)
  }
}
