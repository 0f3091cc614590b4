import {
  Link,
  type Data,
  type EndClass,
  type Ending,
  type LinkConnection,
  type LinkEnd,
  type LinkError,
  type Protocol,
} from '../../link/index.ts'
import type { PartContext } from '../../parts/index.ts'
import { nothing, type SocketEnd } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { parseJson } from '../json-message.ts'
import type { ApiError, ClientEvent, ServerEvent, SessionSettings } from './events.ts'
import { Expiry } from './expiry.ts'

/** The service is reported not to answer close frames: it is cut after so long. */
const CLOSE_PATIENCE = 250
/** Whatever is sent is answered by some event: a connection on which none comes for so long is dead. */
const ANSWER = 8_000
/** How long the last words are waited for, as long as a session does. */
const LAST_WORDS = 2_000

/** Begins the id of an event that may come too late to do anything. An error about it says just that. */
const ATTEMPT = 'attempt'
const HARMLESS = new Set(['response_cancel_not_active', 'input_audio_buffer_commit_empty'])

/** What one session of the Realtime API needs of whoever talks in it. */
export interface OpenAILinkHost {
  /** What the session is to be set to, now. */
  settings(): SessionSettings
  /** What a new connection has to know. */
  carryOver?(): readonly ClientEvent[]
  /** There is a connection, and it knows everything. */
  connected?(): void
  /** The connection is gone, and what was under way on it. */
  disconnected(): void
  heard(event: ServerEvent): void
  /** Returns whether the error was about something of its own, and is dealt with. */
  refused?(error: ApiError): boolean
  /** The link is gone for good. */
  failed(error: LinkError): void
  /** Nothing is under way that would be lost with the connection. */
  quiet(): boolean
  /** What is sent when the link closes; without it nothing is waited for. */
  lastFrames?(): readonly ClientEvent[]
  /** What comes while the link closes. Returns whether that was all. */
  heardLast(event: ServerEvent): boolean
}

/**
 * A session of OpenAI's Realtime API over a link: what a conversation and a transcription have in common.
 *
 *   open ─▶ session.update ─▶ session.updated ─▶ what was said before ─▶ ready
 *                                     ▲
 *   expires_at is near · session_expired · 1001 · a drop: the same again on a new connection
 */
export class OpenAILink implements Protocol {
  readonly name: string
  readonly request: Protocol['request']
  readonly closePatience = CLOSE_PATIENCE
  readonly timing = { answer: ANSWER }
  readonly ending: Ending
  readonly #context: PartContext
  readonly #host: OpenAILinkHost
  readonly #expiry: Expiry
  #link: Link | undefined
  /** The generation of the connection in use. */
  #serving = 0
  #connected = false
  /** The settings that the newest connection was sent. */
  #sent = ''
  #attempts = 0

  constructor(name: string, request: Protocol['request'], context: PartContext, host: OpenAILinkHost) {
    this.name = name
    this.request = request
    this.#context = context
    this.#host = host
    this.#expiry = new Expiry(context.scope, () => host.quiet())
    const answer = (data: Data): boolean => {
      const event = parseJson(data) as ServerEvent | undefined
      return event !== undefined && host.heardLast(event)
    }
    const frames = (): string[] => (host.lastFrames?.() ?? []).map((event) => JSON.stringify(event))
    this.ending = host.lastFrames ? { frames, answer, within: LAST_WORDS } : { answer }
  }

  async open(): Promise<void> {
    this.#link = await Link.open(this.#context, this)
  }

  /** Whether what is sent goes out now. What is sent at other times is lost: it has to be carried over. */
  get connected(): boolean {
    return this.#connected
  }

  send(event: ClientEvent): void {
    if (this.#connected) this.#link?.send(JSON.stringify(event))
  }

  /** Sends what may come too late. */
  attempt(event: ClientEvent): void {
    this.send({ ...event, event_id: `${ATTEMPT}-${++this.#attempts}` })
  }

  /** Sends sound, or keeps it for the next connection. */
  sendAudio(bytes: Uint8Array<ArrayBuffer>): void {
    const audio = Buffer.from(bytes.buffer).toString('base64')
    const event: ClientEvent = { type: 'input_audio_buffer.append', audio }
    this.#link?.sendAudio(JSON.stringify(event))
  }

  /** Ends it before its scope does. */
  end(): void {
    if (this.#link) this.#context.scope.end(this.#link).catch(nothing)
  }

  // ── the protocol ──

  opened(connection: LinkConnection): void {
    this.#set(connection)
  }

  message(data: Data, connection: LinkConnection): void {
    const event = parseJson(data) as ServerEvent | undefined
    if (!event) return connection.end('dropped', 'it sent something that is no JSON')
    if (event.type === 'error') this.#error(event.error ?? {}, connection)
    else if (event.type === 'session.created') this.#expiry.plan(connection, event.session?.expires_at)
    else if (connection.generation === this.#serving) this.#host.heard(event)
    else if (event.type === 'session.updated') this.#takeOver(connection)
    return this.#expiry.look()
  }

  classify({ code, reason = '' }: SocketEnd): EndClass | undefined {
    if (code === 1001) return 'expired'
    return reason.startsWith('invalid_request_error') ? 'fatal' : undefined
  }

  /** For a rollover it comes when the new connection is in use already. */
  lost(end: LinkEnd): void {
    this.#connected = end.class === 'asked'
    this.#host.disconnected()
  }

  failed(error: LinkError): void {
    this.#connected = false
    this.#expiry.clear()
    this.#host.failed(error)
  }

  #set(connection: LinkConnection): void {
    this.#sent = JSON.stringify(this.#host.settings())
    connection.send(`{"type":"session.update","session":${this.#sent}}`)
  }

  /** The new connection is set up. It learns what was said, and only then replaces the one that is still in use. */
  #takeOver(connection: LinkConnection): void {
    if (this.#sent !== JSON.stringify(this.#host.settings())) this.#set(connection)
    for (const event of this.#host.carryOver?.() ?? []) connection.send(JSON.stringify(event))
    this.#serving = connection.generation
    this.#connected = true
    connection.ready()
    this.#host.connected?.()
  }

  #error(error: ApiError, connection: LinkConnection): void {
    const { type, code, message, event_id } = error
    // About a wrong key it may say anything, the key included.
    const words = code === 'invalid_api_key' ? code : (message ?? 'it does not say why')
    if (code === 'session_expired') return connection.end('expired', words)
    if (connection.generation !== this.#serving)
      return connection.end(type === 'server_error' ? 'dropped' : 'fatal', words)
    if (this.#host.refused?.(error)) return undefined
    const { logger } = this.#context
    const harmless = event_id?.startsWith(ATTEMPT) || HARMLESS.has(code ?? '')
    const fields = { link: this.name, code, error: new ProviderError(this.name, words) }
    if (harmless) logger.debug(fields, 'an event came too late to do anything')
    else logger.warn(fields, 'the service has refused something')
    return undefined
  }
}
