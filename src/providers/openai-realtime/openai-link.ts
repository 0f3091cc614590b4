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
import { noop, type SocketEnd } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { readMessage, receiveMessage } from '../vendor-message.ts'
import {
  checkServerEvent,
  type ApiError,
  type ClientEvent,
  type DialectEvent,
  type ServerEvent,
} from './events.ts'
import type { RealtimeDialect } from './dialect.ts'
import { Expiry } from './expiry.ts'

/** How long to wait for a close frame, which the service is reported not to send. */
const CLOSE_PATIENCE = 250
/** The time limit for the last transcripts; the same as a session's default `lastWordsTimeout`. */
const LAST_EVENTS_TIMEOUT = 2_000

/** Prefixes the id of an event that may arrive too late. Errors about such events are only logged for debugging. */
const ATTEMPT = 'attempt'
const HARMLESS = new Set(['response_cancel_not_active', 'input_audio_buffer_commit_empty'])
/** The codes and types of errors that end a session at its time limit. */
const EXPIRED: ReadonlySet<unknown> = new Set(['session_expired', 'max_duration'])
/** The types of errors during the setup after which another attempt may succeed. */
const TRANSIENT: ReadonlySet<unknown> = new Set(['server_error', 'internal_error', 'timeout'])

type LinkDialect = Pick<RealtimeDialect, 'check' | 'lifetime' | 'answersAttempts'>

/** The owner of one Realtime API session: a conversation or a transcription. */
export interface OpenAILinkHost {
  /** The current session settings. */
  settings(): object
  /** The events that recreate the conversation on a new connection. */
  carryOver?(): readonly ClientEvent[]
  /** A connection is in use, and the conversation has been carried over to it. */
  connected?(): void
  /** The connection was lost, together with everything in progress on it. */
  disconnected(): void
  handle(event: ServerEvent): void
  /** Handles an error about an event of the host. Returns false for any other error. */
  handleError?(error: ApiError): boolean
  /** The link has failed for good. */
  failed(error: LinkError): void
  /** Whether the service has begun something that it must finish: an answer, or a transcript. */
  expectsEvents(): boolean
  /** Whether nothing is in progress that would be lost with the connection. */
  quiet(): boolean
  /** The events to send when the link closes. Without this method the link does not wait for answers. */
  endingEvents?(): readonly ClientEvent[]
  /** Handles an event while the link closes. Returns true for the last one. */
  handleWhileClosing(event: ServerEvent): boolean
}

/**
 * A session of OpenAI's Realtime API, or of a compatible one, over a link: the common part of a conversation and a
 * transcription.
 *
 *   open ─▶ session.update ─▶ session.updated ─▶ carried-over conversation ─▶ ready
 *    ▲
 *    └── on a new connection when expires_at is near, and after session_expired, 1001 or a drop
 */
export class OpenAILink implements Protocol {
  readonly name: string
  readonly request: Protocol['request']
  readonly closePatience = CLOSE_PATIENCE
  readonly ending: Ending
  readonly #context: PartContext
  readonly #host: OpenAILinkHost
  readonly #expiry: Expiry
  readonly #dialect: LinkDialect
  #link: Link | undefined
  /** The generation of the connection in use. */
  #current = 0
  #connected = false
  /** The settings that were sent to the newest connection, as JSON. */
  #settingsSent = ''
  #attempts = 0

  constructor(
    name: string,
    request: Protocol['request'],
    context: PartContext,
    host: OpenAILinkHost,
    dialect: LinkDialect = { check: checkServerEvent },
  ) {
    this.name = name
    this.#dialect = dialect
    this.request = request
    this.#context = context
    this.#host = host
    this.#expiry = new Expiry(context.scope, () => host.quiet())
    const answer = (data: Data): boolean => {
      const event = readMessage(data, dialect.check)
      return event !== undefined && host.handleWhileClosing(event)
    }
    const frames = (): string[] => (host.endingEvents?.() ?? []).map((event) => JSON.stringify(event))
    this.ending = host.endingEvents ? { frames, answer, within: LAST_EVENTS_TIMEOUT } : { answer }
  }

  async open(): Promise<void> {
    this.#link = await Link.open(this.#context, this)
  }

  /** Whether events can be sent now. Other events are discarded and have to be carried over. */
  get connected(): boolean {
    return this.#connected
  }

  /** Sends an event. The service answers each one with some event. */
  send(event: ClientEvent | DialectEvent): void {
    this.#send(event)
    if (this.#connected) this.#link?.expectAnswer()
  }

  /** The caller is speaking, and the service detects it: it owes an event. */
  callerSpeaks(): void {
    this.#link?.expectAnswer()
  }

  /** Sends an event that may arrive too late to have an effect. */
  attempt(event: ClientEvent): void {
    const attempt = { ...event, event_id: `${ATTEMPT}-${++this.#attempts}` }
    if (this.#dialect.answersAttempts === false) this.#send(attempt)
    else this.send(attempt)
  }

  /** What the service has begun has been given up: it owes nothing more. */
  expectNothing(): void {
    this.#link?.expectNothing()
  }

  /** Sends audio, or buffers it for the next connection. */
  sendAudio(bytes: Uint8Array): void {
    const audio = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
    const event: ClientEvent = { type: 'input_audio_buffer.append', audio }
    this.#link?.sendAudio(JSON.stringify(event))
  }

  /** Closes the link before its scope does. */
  end(): void {
    if (this.#link) this.#context.scope.end(this.#link).catch(noop)
  }

  // ── Protocol ──

  opened(connection: LinkConnection): void {
    this.#sendSettings(connection)
  }

  message(data: Data, connection: LinkConnection): void {
    const event = receiveMessage(data, this.#dialect.check, connection)
    if (!event) return undefined
    if (event.type === 'error') this.#error(event.error ?? {}, connection)
    else if (event.type === 'session.created')
      this.#expiry.plan(connection, event.session?.expires_at, this.#dialect.lifetime)
    else if (connection.generation === this.#current) this.#host.handle(event)
    else if (event.type === 'session.updated') this.#use(connection)
    if (this.#host.expectsEvents()) this.#link?.expectAnswer()
    return this.#expiry.moveIfQuiet()
  }

  classify({ code, reason = '' }: SocketEnd): EndClass | undefined {
    if (code === 1001) return 'expired'
    return reason.startsWith('invalid_request_error') ? 'fatal' : undefined
  }

  /** After a rollover the new connection is already in use. */
  lost(end: LinkEnd): void {
    this.#connected = end.class === 'asked'
    this.#host.disconnected()
  }

  failed(error: LinkError): void {
    this.#connected = false
    this.#expiry.clear()
    this.#host.failed(error)
  }

  #send(event: ClientEvent | DialectEvent): void {
    if (this.#connected) this.#link?.send(JSON.stringify(event))
  }

  #sendSettings(connection: LinkConnection): void {
    this.#settingsSent = JSON.stringify(this.#host.settings())
    connection.send(`{"type":"session.update","session":${this.#settingsSent}}`)
  }

  /** Carries the conversation over to a new connection, and only then replaces the current one. */
  #use(connection: LinkConnection): void {
    if (this.#settingsSent !== JSON.stringify(this.#host.settings())) this.#sendSettings(connection)
    for (const event of this.#host.carryOver?.() ?? []) connection.send(JSON.stringify(event))
    this.#current = connection.generation
    this.#connected = true
    connection.ready()
    this.#host.connected?.()
  }

  #error(error: ApiError, connection: LinkConnection): void {
    const { type, code, message, event_id } = error
    // The message about a wrong key may quote the key.
    const reason = code === 'invalid_api_key' ? code : message
    if (EXPIRED.has(code) || EXPIRED.has(type)) return connection.end('expired', reason)
    if (connection.generation !== this.#current)
      return connection.end(TRANSIENT.has(type) ? 'dropped' : 'fatal', reason)
    if (this.#host.handleError?.(error)) return undefined
    const { logger } = this.#context
    const harmless = event_id?.startsWith(ATTEMPT) || HARMLESS.has(code ?? '')
    const fields = { link: this.name, code, error: new ProviderError(this.name, reason) }
    if (harmless) logger.debug(fields, 'an event arrived too late to have an effect')
    else logger.warn(fields, 'the service reported an error')
    return undefined
  }
}
