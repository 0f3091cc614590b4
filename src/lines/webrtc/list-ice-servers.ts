import type { Logger } from '../../parts/index.ts'
import { OptionError, type Scope } from '../../scope/index.ts'
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
  const listed = new Promise<readonly IceServer[]>((resolve) => {
    const failed = (error: unknown): void => {
      timer.clear()
      logger.error({ error }, 'the ICE servers could not be listed')
      resolve([])
    }
    const timer = scope.after(limits.listing, 'list of ICE servers', () =>
      failed(new OptionError(`the function that lists ICE servers took more than ${limits.listing} ms`)),
    )
    new Promise<unknown>((made) => made(servers()))
      .then((list) => {
        resolve(plain(list))
        return timer.clear()
      })
      .catch(failed)
  })
  return scope.until(listed)
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
