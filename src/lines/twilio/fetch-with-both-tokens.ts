/**
 * Repeats a request with the other auth token if the carrier answers 401: while one token is replaced by the other, only the carrier
 * knows which one is valid now (LN15). A request that is answered with 401 was not carried out.
 */
export function fetchWithBothTokens(ask: typeof fetch, otherToken: string): typeof fetch {
  return async (input, init = {}) => {
    const response = await ask(input, init)
    const headers = new Headers(init.headers)
    const [, credentials] = /^Basic (.+)$/.exec(headers.get('authorization') ?? '') ?? []
    if (response.status !== 401 || credentials === undefined) return response
    await response.body?.cancel()
    const [account = ''] = Buffer.from(credentials, 'base64').toString().split(':', 1)
    headers.set('authorization', `Basic ${Buffer.from(`${account}:${otherToken}`).toString('base64')}`)
    return await ask(input, { ...init, headers: Object.fromEntries(headers) })
  }
}
