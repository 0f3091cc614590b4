import { isIP } from 'node:net'
import type { Clock, ErrorCode } from '../scope/index.ts'
import { Attempts } from './attempts.ts'
import { Key } from './key.ts'

/** The part of a request that the gate checks. */
export interface GateRequest {
  /** The address of the peer. */
  readonly remote: string | undefined
  header(name: string): string | undefined
}

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
 * - Without a secret, only requests from this machine are accepted. With one, all requests must present it.
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
    const host = request.header('host')?.toLowerCase() ?? ''
    const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
    // An IP address cannot be rebound.
    if (name === 'localhost' || isIP(name) !== 0 || this.#names.has(name)) return undefined
    return refused(403, 'UNKNOWN_HOST', 'unknown host name: add it to the option `names`')
  }

  /** All checks. For every request except those for the page and the login. */
  refuses(request: GateRequest): Refused | undefined {
    return this.refusesName(request) ?? this.refusesOrigin(request) ?? this.#refusesClient(request)
  }

  /** Checks the origin. Clients that are not browsers send none of these headers. */
  refusesOrigin(request: GateRequest): Refused | undefined {
    const foreign = refused(403, 'FOREIGN_ORIGIN', 'requests from pages of another origin are refused')
    const site = request.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return foreign
    const origin = request.header('origin')
    if (origin === undefined) return undefined
    // Behind a proxy the scheme may differ, but not the host and port.
    return URL.canParse(origin) && new URL(origin).host === hostOf(request) ? undefined : foreign
  }

  #refusesClient(request: GateRequest): Refused | undefined {
    const key = this.#key
    if (!key) {
      if (isThisMachine(request.remote)) return undefined
      return refused(
        403,
        'SECRET_NEEDED',
        'without a secret, only requests from this machine are accepted: set a secret',
      )
    }
    if (key.admits(cookie(request, key.cookieName) ?? '', this.#clock.date())) return undefined
    const [, bearer] = /^Bearer (.+)$/i.exec(request.header('authorization') ?? '') ?? []
    if (bearer === undefined) return refused(401, 'UNAUTHORISED', 'the secret of the host is missing')
    return this.#refusesSecret(key, bearer, request)
  }

  #refusesSecret(key: Key, secret: string, { remote = '' }: GateRequest): Refused | undefined {
    if (this.#attempts.isBarred(remote))
      return refused(429, 'TOO_MANY_ATTEMPTS', 'too many wrong secrets: try again in a minute')
    if (key.fits(secret)) return undefined
    this.#attempts.failed(remote)
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
    const secure = request.header('origin')?.startsWith('https:') ? '; Secure' : ''
    return `${this.#key!.cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}`
  }
}

/** The host as it appears in an origin: without the default port of the scheme. */
function hostOf(request: GateRequest): string {
  const host = request.header('host') ?? ''
  const scheme = request.header('origin')?.startsWith('https:') ? 'https' : 'http'
  return URL.canParse(`${scheme}://${host}`) ? new URL(`${scheme}://${host}`).host : ''
}

function isThisMachine(remote: string | undefined): boolean {
  const address = remote?.replace(/^::ffff:/, '') ?? ''
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}

function cookie(request: GateRequest, name: string): string | undefined {
  const all = request.header('cookie')?.split(/;\s*/) ?? []
  return all.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
}
