import type { Logger } from '../../parts/index.ts'
import { OptionError, type Scope } from '../../scope/index.ts'
import { answerWithin } from '../answer-within.ts'
import type { IceServer, IceServers } from '../webrtc-options.ts'
import { limits } from './limits.ts'

/**
 * Lists STUN and TURN servers. If a function that makes the list fails, or takes too long, the list is empty: many clients connect
 * without these servers. Rejects if the scope closes.
 */
export function listIceServers(
  servers: IceServers | undefined,
  scope: Scope<string>,
  logger: Logger,
): Promise<readonly IceServer[]> {
  if (typeof servers !== 'function') return Promise.resolve(servers ?? [])
  return answerWithin<unknown>(scope, limits.listing, 'the function that lists ICE servers', servers)
    .then(plain)
    .catch((error: unknown) => {
      if (scope.state !== 'live') throw error
      logger.error({ error }, 'the ICE servers could not be listed')
      return []
    })
}

/** What a thread can be sent of a list, whatever else its objects have. */
function plain(list: unknown): readonly IceServer[] {
  if (!Array.isArray(list)) throw new OptionError('the function that lists ICE servers must return an array')
  return list.map((each) => {
    const { urls, username, credential } = (each ?? {}) as Partial<IceServer>
    const all = typeof urls === 'string' ? [urls] : urls
    if (!Array.isArray(all) || !all.every((url) => typeof url === 'string'))
      throw new OptionError('an ICE server must have urls')
    return {
      urls: [...all],
      ...(typeof username === 'string' ? { username } : {}),
      ...(typeof credential === 'string' ? { credential } : {}),
    }
  })
}
