import { duration, noop, systemClock, type Timer } from '../scope/index.ts'
import { GuardClosedError } from './errors.ts'
import { guard, outside, type Guard, type GuardOptions } from './guard.ts'
import { methodsOf, put } from './methods-of.ts'

/** The part of a `RealtimeSession` of `@openai/agents` that is used here. */
export interface OpenAISession {
  readonly transport: {
    on(event: 'connection_change', listener: (status: OpenAIStatus) => void): unknown
  }
  connect(options: never): Promise<void>
  close(): void
}

export type OpenAIStatus = 'connected' | 'disconnected' | 'connecting' | 'disconnecting'

export interface GuardOpenAIOptions extends Omit<GuardOptions, 'close'> {
  /** How long a connection may take before the session is closed, and `connect()` rejects: 15 s unless set. */
  connectTimeout?: number
  /** The app connects again by itself after a drop: the loss of the connection does not close the session. */
  reconnects?: boolean
}

/**
 * Guards a `RealtimeSession` of `@openai/agents`: make it before the session is connected.
 *
 * The session stays the object it is. Its methods run in the guard's context, its listeners in that of those who add
 * them; `close()` is the guard's, and so is the end of a connection that was lost. Its own close cancels neither tools
 * nor guardrails: give them `call.signal`.
 *
 * ```ts
 * import 'endwell/guard/install'
 *
 * const session = new RealtimeSession(agent, { transport: 'websocket' })
 * const call = guardOpenAI(session, { name: 'call 42', closeTimeout: 3_000 })
 * await session.connect({ apiKey })
 * const report = await call.close()
 * ```
 */
export function guardOpenAI(session: OpenAISession, options: GuardOpenAIOptions = {}): Guard {
  const { connectTimeout = 15_000, reconnects = false, ...rest } = options
  const patience = duration('connectTimeout', connectTimeout)
  const closeTheirs = session.close.bind(session)
  const call = guard({ name: 'OpenAI session', ...rest, close: closeTheirs })
  const connectTheirs = call.bind(session.connect.bind(session))
  const end = (reason?: string): void => {
    // Its own close says that the connection is gone, too: nobody asks for what is under way.
    if (call.state === 'live') call.close(reason === undefined ? {} : { reason }).catch(noop)
  }
  for (const [name, method] of methodsOf(session, call.wrap(session))) put(session, name, method)
  put(session, 'connect', (where: never) => unlessClosed(call, connectTheirs(where)))
  put(session, 'close', () => end())

  let connected = false
  let connecting: Timer | undefined
  call.signal.addEventListener('abort', () => connecting?.clear())
  session.transport.on('connection_change', (status) => {
    connecting?.clear()
    if (status === 'connecting' && call.state === 'live')
      connecting = outside(() =>
        systemClock.after(patience, `connect of '${call.name}'`, () => end('not connected in time')),
      )
    // One that never was connected has failed to start: `connect()` says so, and may be called again.
    if (status === 'disconnected' && connected && !reconnects) end('the connection was lost')
    if (status === 'connected' || status === 'disconnected') connected = status === 'connected'
  })
  return call
}

/** What the connect becomes; it must not be waited for in vain when the session is closed. */
function unlessClosed(call: Guard, connecting: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (): void => reject(new GuardClosedError(call.name, 'connect'))
    const settled = call.on('closed', refuse)
    connecting.finally(settled).then(resolve, reject)
    if (call.state === 'closed') refuse()
  })
}
