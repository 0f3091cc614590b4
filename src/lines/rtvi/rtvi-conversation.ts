import type { LineToolCall } from '../../parts/index.ts'
import { EndwellError, LimitError, noop, type Scope } from '../../scope/index.ts'
import type { Session } from '../../session/index.ts'
import { readClientMessage, type ClientMessage } from './client-message.ts'
import { RtviClient } from './client.ts'
import { limits } from './limits.ts'
import type { RtviOptions } from './options.ts'
import { SessionMessages } from './session-messages.ts'

/** What RTVI needs from the line that carries its messages. */
export interface RtviChannel {
  /** Outlives the call. */
  readonly scope: Scope<string>
  /** Sends a message to the client, if it is connected. */
  write(json: string): void
  /** The client can play sound from now on. */
  ready(): void
  /** The client typed a text or pressed a key, which may become a turn. */
  typed(what: 'text' | 'dtmf', value: string): void
}

/**
 * RTVI, the protocol of Pipecat's clients, for one call on any transport: translates between its messages and a session.
 *
 *   client                                              session
 *    │── client-ready ───────────────────────────────────▶│
 *    │◀──────────────────────────────────── bot-ready ────│  once the session has started; always, since the client waits for it
 *    │◀── speaking, transcripts, bot-output, metrics, … ──│  events of the session: `SessionMessages`
 *    │── send-text, dtmf ────────────────────────────────▶│  like text and keys of any line
 *    │── client-message ─▶ onMessage ── server-response ──│
 *    │◀─ in-progress of a tool ── function-call-result ──▶│  tools that run in the client
 *    │── disconnect-bot ─────────────────────────────────▶│  drain
 */
export class RtviConversation {
  readonly #channel: RtviChannel
  readonly #options: RtviOptions
  readonly #client: RtviClient
  #session: Session | undefined
  #messages: SessionMessages | undefined
  #hasStarted = false
  #hasEnded = false
  /** A `client-ready` without an answer. */
  #waiting: { readonly id: string | undefined } | undefined
  /** Tools that run in the client, by the id of the call. */
  readonly #tools = new Map<string, (result: unknown) => void>()
  /** How many messages the agent has not answered. */
  #requests = 0

  constructor(channel: RtviChannel, options: RtviOptions = {}) {
    this.#channel = channel
    this.#options = options
    this.#client = new RtviClient((json) => channel.write(json))
  }

  /** Shows the session to the client. */
  attach(session: Session): void {
    this.#session = session
    this.#messages = new SessionMessages(session, this.#client, this.#channel.scope, this.#options)
    session.on('started', () => {
      this.#hasStarted = true
      this.#answerReady()
    })
  }

  /** Handles a message of the client. */
  receive(json: string): void {
    const message = readClientMessage(json)
    if (!message) return undefined
    if (message.type === 'client-ready') return this.#clientReady(message)
    if (this.#hasEnded) return undefined
    return this.#handle(message)
  }

  /** Sends a message of the agent. */
  sendMessage(data: unknown): void {
    if (this.#client.send('server-message', data)) return
    this.#session?.reportError(
      'message',
      new LimitError('message', limits.message, 'a message to the client is too long, or cannot be JSON'),
    )
  }

  /** Has the client run a tool. Resolves to its result. */
  runTool({ id, name, input }: LineToolCall, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#tools.delete(id)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', stop, { once: true })
      this.#tools.set(id, resolve)
      const call = { tool_call_id: id, function_name: name, arguments: input }
      if (this.#client.send('llm-function-call-in-progress', call)) return
      this.#tools.delete(id)
      reject(new LimitError('message', limits.message, `the input of '${name}' is too long for a client`))
    })
  }

  /**
   * The call has ended. Answers a client that waits for the agent to be ready, now or when it says that it is ready: otherwise it
   * would wait for ever.
   */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#messages?.end()
    this.#answerReady()
    this.#session = this.#messages = undefined
    this.#tools.clear()
  }

  /** Sends an error. A fatal one makes the client disconnect. */
  fail(error: string): void {
    this.#client.send('error', { error, fatal: true })
  }

  #clientReady({ id, version }: ClientMessage & { readonly type: 'client-ready' }): void {
    this.#client.speaks(version)
    this.#waiting = { id }
    this.#answerReady()
    this.#channel.ready()
  }

  #answerReady(): void {
    if (!this.#waiting || !(this.#hasStarted || this.#hasEnded)) return
    const { id } = this.#waiting
    this.#waiting = undefined
    this.#client.ready(id)
  }

  #handle(message: Exclude<ClientMessage, { readonly type: 'client-ready' }>): void {
    const { id } = message
    switch (message.type) {
      case 'send-text':
        return this.#text(message)
      case 'dtmf':
        for (const key of message.keys) this.#channel.typed('dtmf', key)
        return undefined
      case 'client-message':
        this.#request(message.about, message.data, id).catch(noop)
        return undefined
      case 'llm-function-call-result': {
        const resolve = this.#tools.get(message.call)
        this.#tools.delete(message.call)
        return resolve?.(message.result)
      }
      case 'disconnect-bot':
        return this.#leave()
      case 'refused':
        return this.#client.refuse(message.error, id)
    }
  }

  #text({ id, text, runsNow, wantsSound }: ClientMessage & { readonly type: 'send-text' }): void {
    if (!wantsSound) this.#client.refuse('audio_response: false is not supported: the answer is spoken', id)
    if (runsNow) return this.#channel.typed('text', text)
    return this.#session?.state === 'live' ? this.#session.addText(text) : undefined
  }

  /** Has the agent answer a message (PG1). */
  async #request(type: string, data: unknown, id: string | undefined): Promise<void> {
    if (this.#requests >= limits.requests)
      return this.#client.refuse('too many messages wait for an answer', id)
    this.#requests++
    try {
      if (this.#session?.state !== 'live') return this.#client.refuse('the agent takes no messages now', id)
      const answer = await this.#session.receive({ type, data })
      if (this.#client.send('server-response', { t: type, d: answer }, id)) return undefined
      return this.#client.refuse('the answer is too long, or cannot be JSON', id)
    } catch (error) {
      const isUnhandled = error instanceof EndwellError && error.code === 'MESSAGE_UNHANDLED'
      return this.#client.refuse(
        isUnhandled ? 'the agent takes no messages' : 'the agent failed to answer',
        id,
      )
    } finally {
      this.#requests--
    }
  }

  /** The caller wants the agent to leave: it finishes what it is doing. */
  #leave(): void {
    const ask = { reason: 'caller-hung-up', by: 'disconnect-bot' } as const
    const leaving = this.#session?.state === 'new' ? this.#session.close(ask) : this.#session?.drain(ask)
    leaving?.catch(noop)
  }
}
