import { duration, noop, systemClock, checkOptions, type Timer, type OptionNames } from '../scope/index.ts'
import { GuardClosedError } from './errors.ts'
import { guard, outside, passedNames, type Guard, type GuardOptions } from './guard.ts'
import { methodsOf, replaceMethod } from './methods-of.ts'

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
  /** The time limit for connecting; then the session is closed and `connect()` rejects. Default: 15 s. */
  connectTimeout?: number
  /** The app reconnects on its own, so a lost connection does not close the session. Default: false. */
  reconnects?: boolean
}

const optionNames: OptionNames<GuardOpenAIOptions> = {
  ...passedNames,
  connectTimeout: true,
  reconnects: true,
}

/**
 * Guards a `RealtimeSession` of `@openai/agents`. Create the guard before the session connects.
 *
 * The session remains the same object. Its methods run in the guard's context, and its listeners in the context in which
 * they were added. `session.close()` closes the guard, and so does a lost connection. The SDK's own close cancels neither
 * tools nor guardrails: pass them `call.signal`.
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
  checkOptions('guardOpenAI', options, optionNames)
  const { connectTimeout = 15_000, reconnects = false, ...rest } = options
  const timeout = duration('connectTimeout', connectTimeout)
  const call = guard({ name: 'OpenAI session', ...rest, close: session.close.bind(session) })
  const connect = call.bind(session.connect.bind(session))
  const end = (reason?: string): void => {
    // The SDK's own close also reports a lost connection, and must not close the guard again.
    if (call.state === 'live') call.close(reason === undefined ? {} : { reason }).catch(noop)
  }
  for (const [name, method] of methodsOf(session, call.wrap(session))) replaceMethod(session, name, method)
  replaceMethod(session, 'connect', (where: never) => unlessClosed(call, connect(where)))
  replaceMethod(session, 'close', () => end())

  let connected = false
  let connectTimer: Timer | undefined
  call.signal.addEventListener('abort', () => connectTimer?.clear())
  session.transport.on('connection_change', (status) => {
    connectTimer?.clear()
    if (status === 'connecting' && call.state === 'live')
      connectTimer = outside(() =>
        systemClock.after(timeout, `connect of '${call.name}'`, () => end('not connected in time')),
      )
    // If it was never connected, `connect()` rejects and may be called again.
    if (status === 'disconnected' && connected && !reconnects) end('the connection was lost')
    if (status === 'connected' || status === 'disconnected') connected = status === 'connected'
  })
  return call
}

/** Settles like `connecting`, or rejects when the session is closed, because `connecting` may never settle then. */
function unlessClosed(call: Guard, connecting: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (): void => reject(new GuardClosedError(call.name, 'connect'))
    const unsubscribe = call.on('closed', refuse)
    connecting.finally(unsubscribe).then(resolve, reject)
    if (call.state === 'closed') refuse()
  })
}
