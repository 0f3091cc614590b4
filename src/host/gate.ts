import { isIP } from 'node:net'
import type { Clock, ErrorCode } from '../scope/index.ts'
import { Attempts } from './attempts.ts'
import { Key } from './key.ts'

/** A request, as far as the gate looks at it. */
export interface Asked {
  /** The address at the other end. */
  readonly remote: string | undefined
  header(name: string): string | undefined
}

/** Why a request is not let in. */
export interface Refused {
  readonly status: 401 | 403 | 429
  readonly code: ErrorCode
  readonly message: string
}

export interface GateOptions {
  readonly secret?: string
  /** Names by which people reach the host, beside addresses and `localhost`: `studio.example.com`. */
  readonly names?: readonly string[]
}

const refused = (status: Refused['status'], code: ErrorCode, message: string): Refused => ({
  status,
  code,
  message,
})

/**
 * Who may come in. Reports hold what callers said, so nobody may read them by accident:
 *
 * - without a secret only this machine is answered; with one, everybody who shows it
 * - a name that is not ours is refused, so that no page can make a browser believe we are its own server (DNS rebinding)
 * - a page of another origin is refused, so that none can make a browser ask in its owner's name (CSRF)
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

  /** For everything, the page itself included. */
  refusesName(asked: Asked): Refused | undefined {
    const host = asked.header('host')?.toLowerCase() ?? ''
    const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
    // An address cannot be rebound: whoever asks for it by number means this machine.
    if (name === 'localhost' || isIP(name) !== 0 || this.#names.has(name)) return undefined
    return refused(403, 'UNKNOWN_HOST', 'unknown host name: add it to the option `names`')
  }

  /** For everything but the page and the login. */
  refuses(asked: Asked): Refused | undefined {
    return this.refusesName(asked) ?? this.refusesOrigin(asked) ?? this.#refusesCaller(asked)
  }

  /** Pages of others may neither read nor act. What is no browser sends none of these headers. */
  refusesOrigin(asked: Asked): Refused | undefined {
    const foreign = refused(403, 'FOREIGN_ORIGIN', 'requests from pages of another origin are refused')
    const site = asked.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return foreign
    const origin = asked.header('origin')
    if (origin === undefined) return undefined
    // Behind a proxy the scheme may differ; the host and its port may not.
    return URL.canParse(origin) && new URL(origin).host === hostOf(asked) ? undefined : foreign
  }

  #refusesCaller(asked: Asked): Refused | undefined {
    const key = this.#key
    if (!key) {
      if (isThisMachine(asked.remote)) return undefined
      return refused(
        403,
        'SECRET_NEEDED',
        'without a secret, only requests from this machine are accepted: set a secret',
      )
    }
    if (key.admits(cookie(asked, key.cookieName) ?? '', this.#clock.date())) return undefined
    const [, bearer] = /^Bearer (.+)$/i.exec(asked.header('authorization') ?? '') ?? []
    if (bearer === undefined) return refused(401, 'UNAUTHORISED', 'the secret of the host is missing')
    return this.#refusesSecret(key, bearer, asked)
  }

  #refusesSecret(key: Key, secret: string, { remote = '' }: Asked): Refused | undefined {
    if (this.#attempts.isBarred(remote))
      return refused(429, 'TOO_MANY_ATTEMPTS', 'too many wrong secrets: try again in a minute')
    if (key.fits(secret)) return undefined
    this.#attempts.failed(remote)
    return refused(401, 'WRONG_SECRET', 'wrong secret')
  }

  /** The cookie that a browser gets for the secret. */
  logIn(asked: Asked, secret: string): { readonly cookie: string } | { readonly refused: Refused } {
    if (!this.#key) return { cookie: '' }
    const no = this.#refusesSecret(this.#key, secret, asked)
    return no ? { refused: no } : { cookie: this.#cookie(asked, this.#key.pass(this.#clock.date())) }
  }

  logOut(asked: Asked): string {
    return this.#key ? `${this.#cookie(asked, '')}; Max-Age=0` : ''
  }

  #cookie(asked: Asked, value: string): string {
    const secure = asked.header('origin')?.startsWith('https:') ? '; Secure' : ''
    return `${this.#key!.cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}`
  }
}

/** As an origin is spelled: without the port that goes without saying. */
function hostOf(asked: Asked): string {
  const host = asked.header('host') ?? ''
  const scheme = asked.header('origin')?.startsWith('https:') ? 'https' : 'http'
  return URL.canParse(`${scheme}://${host}`) ? new URL(`${scheme}://${host}`).host : ''
}

function isThisMachine(remote: string | undefined): boolean {
  const address = remote?.replace(/^::ffff:/, '') ?? ''
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}

function cookie(asked: Asked, name: string): string | undefined {
  const all = asked.header('cookie')?.split(/;\s*/) ?? []
  return all.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
}
