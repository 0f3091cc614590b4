import { isIP } from 'node:net'
import { isFromThisMachine, type Origin } from '../lines/index.ts'
import type { Clock, ErrorCode } from '../scope/index.ts'
import { Attempts } from './attempts.ts'
import { Key } from './key.ts'

/** The part of a request that the gate checks. */
export type GateRequest = Origin

/** Why a request is refused. */
export interface Refused {
  readonly status: 401 | 403 | 429
  readonly code: ErrorCode
  readonly message: string
}

export interface GateOptions {
  readonly secret?: string
  /** Host names of this server, besides addresses and `localhost`: `studio.example.com`. */
  readonly names?: readonly string[]
}

const refused = (status: Refused['status'], code: ErrorCode, message: string): Refused => ({
  status,
  code,
  message,
})

/**
 * Access control. Reports contain what callers said, so the default is strict:
 *
 * - Without a secret, only requests from this machine are accepted, and none that a proxy relays (LN11). With one, all
 *   requests must present it.
 * - Unknown host names are refused, to prevent DNS rebinding.
 * - Requests from pages of other origins are refused, to prevent CSRF.
 */
export class Gate {
  readonly #key: Key | undefined
  readonly #names: ReadonlySet<string>
  readonly #attempts: Attempts
  readonly #clock: Clock

  constructor(clock: Clock, { secret, names = [] }: GateOptions) {
    this.#key = secret === undefined ? undefined : new Key(secret)
    this.#names = new Set(names.map((name) => name.toLowerCase()))
    this.#attempts = new Attempts(clock)
    this.#clock = clock
  }

  /** Checks the host name. For every request, including those for the page. */
  refusesName(request: GateRequest): Refused | undefined {
    const host = request.headers.host?.toLowerCase() ?? ''
    const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
    // An IP address cannot be rebound.
    if (name === 'localhost' || isIP(name) !== 0 || this.#names.has(name)) return undefined
    return refused(403, 'UNKNOWN_HOST', 'unknown host name: add it to the option `names`')
  }

  /** All checks. For every request except those for the page and the login. */
  refuses(request: GateRequest): Refused | undefined {
    return this.refusesName(request) ?? this.refusesOrigin(request) ?? this.#refusesClient(request)
  }

  /**
   * Checks the host name, and the secret of a request that presents one. For requests whose other rights are checked elsewhere:
   * pages of any origin may send them.
   */
  refusesNameOrSecret(request: GateRequest): Refused | undefined {
    const bearer = bearerOf(request)
    const named = this.refusesName(request)
    if (named || !this.#key || bearer === undefined) return named
    return this.#refusesSecret(this.#key, bearer, request)
  }

  /** Checks the origin. Clients that are not browsers send none of these headers. */
  refusesOrigin(request: GateRequest): Refused | undefined {
    const foreign = refused(403, 'FOREIGN_ORIGIN', 'requests from pages of another origin are refused')
    const site = request.headers['sec-fetch-site']
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return foreign
    const origin = request.headers.origin
    if (origin === undefined) return undefined
    // Behind a proxy the scheme may differ, but not the host and port.
    return URL.canParse(origin) && new URL(origin).host === hostOf(request) ? undefined : foreign
  }

  #refusesClient(request: GateRequest): Refused | undefined {
    const key = this.#key
    if (!key) {
      if (isFromThisMachine(request)) return undefined
      return refused(
        403,
        'SECRET_NEEDED',
        'without a secret, only requests from this machine are accepted, and none that a proxy relays: set a secret',
      )
    }
    if (key.admits(cookie(request, key.cookieName) ?? '', this.#clock.date())) return undefined
    const bearer = bearerOf(request)
    if (bearer === undefined) return refused(401, 'UNAUTHORISED', 'the secret of the host is missing')
    return this.#refusesSecret(key, bearer, request)
  }

  /** The right secret is admitted however many wrong ones came before: behind a proxy, all clients share an address. */
  #refusesSecret(key: Key, secret: string, { address = '' }: GateRequest): Refused | undefined {
    if (key.fits(secret)) return undefined
    if (this.#attempts.isBarred(address))
      return refused(429, 'TOO_MANY_ATTEMPTS', 'too many wrong secrets: try again in a minute')
    this.#attempts.failed(address)
    return refused(401, 'WRONG_SECRET', 'wrong secret')
  }

  /** Returns the cookie for a browser that presents the secret. */
  logIn(request: GateRequest, secret: string): { readonly cookie: string } | { readonly refused: Refused } {
    if (!this.#key) return { cookie: '' }
    const refusal = this.#refusesSecret(this.#key, secret, request)
    if (refusal) return { refused: refusal }
    return { cookie: this.#cookie(request, this.#key.pass(this.#clock.date())) }
  }

  logOut(request: GateRequest): string {
    return this.#key ? `${this.#cookie(request, '')}; Max-Age=0` : ''
  }

  #cookie(request: GateRequest, value: string): string {
    const secure = request.headers.origin?.startsWith('https:') ? '; Secure' : ''
    return `${this.#key!.cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}`
  }
}

/** The host as it appears in an origin: without the default port of the scheme. */
function hostOf(request: GateRequest): string {
  const host = request.headers.host ?? ''
  const scheme = request.headers.origin?.startsWith('https:') ? 'https' : 'http'
  return URL.canParse(`${scheme}://${host}`) ? new URL(`${scheme}://${host}`).host : ''
}

function bearerOf({ headers }: GateRequest): string | undefined {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
}

function cookie(request: GateRequest, name: string): string | undefined {
  const all = request.headers.cookie?.split(/;\s*/) ?? []
  return all.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
}
