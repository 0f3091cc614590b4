import { duration, noop, checkOptions, type OptionNames } from '../scope/index.ts'
import { GuardClosedError } from './errors.ts'
import { GeminiConnection, type GeminiCallbacks, type GeminiSession } from './gemini-connection.ts'
import { guard, passedNames, type Guard, type GuardOptions } from './guard.ts'

/** The part of `ai.live` of `@google/genai` that is used here. */
export interface GeminiLive<Parameters extends GeminiParameters, Session extends GeminiSession> {
  connect(parameters: Parameters): Promise<Session>
}

export interface GeminiParameters {
  callbacks: GeminiCallbacks
}

export interface GuardGeminiOptions extends Omit<GuardOptions, 'close'> {
  /** The time limit for `connect()`, setup included. Default: 15 s. */
  connectTimeout?: number
  /** The app reconnects on its own, so the loss of the last connection does not close the session. Default: false. */
  reconnects?: boolean
}

const optionNames: OptionNames<GuardGeminiOptions> = {
  ...passedNames,
  connectTimeout: true,
  reconnects: true,
}

/** A guard that can connect. */
export interface GuardedGemini<
  Parameters extends GeminiParameters,
  Session extends GeminiSession,
> extends Guard {
  /** Like `ai.live.connect()`, but always settles. Can be called again, to resume a session by its handle. */
  connect(parameters: Parameters): Promise<Session>
}

/**
 * Guards live sessions of `@google/genai`. It takes `ai.live` and not a session, because a connection attempt that never
 * settles has no session but must still be owned.
 *
 * ```ts
 * const call = guardGemini(ai.live, { closeTimeout: 3_000 })
 * const session = await call.connect({ model, config, callbacks })
 * const report = await call.close()
 * ```
 *
 * When the last connection has ended and no other is being opened, the guard is closed. The callbacks run in its context,
 * and it owns what they open.
 */
export function guardGemini<Parameters extends GeminiParameters, Session extends GeminiSession>(
  live: GeminiLive<Parameters, Session>,
  options: GuardGeminiOptions = {},
): GuardedGemini<Parameters, Session> {
  checkOptions('guardGemini', options, optionNames)
  const { connectTimeout = 15_000, reconnects = false, ...rest } = options
  const timeout = duration('connectTimeout', connectTimeout)
  const connections = new Set<GeminiConnection<Session>>()
  const call = guard({
    name: 'gemini session',
    ...rest,
    close: () => {
      for (const connection of connections) connection.close()
    },
  })
  call.signal.addEventListener('abort', () => {
    for (const connection of connections)
      connection.giveUp(new GuardClosedError(call.name, 'connect to Gemini'))
  })
  const connect = async (parameters: Parameters): Promise<Session> => {
    if (call.state !== 'live') throw new GuardClosedError(call.name, 'connect to Gemini')
    const connection = new GeminiConnection<Session>({
      name: call.name,
      timeout,
      ended: (why) => {
        connections.delete(connection)
        if (connections.size === 0 && !reconnects) call.close({ reason: why, by: 'gemini' }).catch(noop)
      },
    })
    connections.add(connection)
    const callbacks = connection.callbacks(parameters.callbacks)
    return call.wrap(await connection.open(() => call.run(() => live.connect({ ...parameters, callbacks }))))
  }
  return Object.assign(call, { connect })
}
