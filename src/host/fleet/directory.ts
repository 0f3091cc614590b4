import { connect } from 'node:net'
import type { Clock } from '../../scope/index.ts'
import { answerWithin } from '../journal/answer-within.ts'
import type { Journal, Owner } from '../journal/journal.ts'

/** Where a call is. */
export type Place =
  /** This process serves it. */
  | { readonly where: 'here' }
  /** Another process serves it, and can be reached. */
  | { readonly where: 'elsewhere'; readonly address: string }
  /** The process that serves it does not answer, but may still live. */
  | { readonly where: 'unreachable' }
  /**
   * Its process is gone: whoever takes it goes on with it. `key` is the hash of the key that lets its page come back, `trace`
   * the place in its trace.
   */
  | { readonly where: 'lost'; readonly key: string | undefined; readonly trace: string | undefined }
  | { readonly where: 'ended' }
  | { readonly where: 'unknown' }

export interface DirectoryOptions {
  readonly clock: Clock
  readonly journal: Pick<Journal, 'find' | 'findDial'>
  /** This process. */
  readonly own: () => Owner
  /** Whether a process can be reached. Default: tries to connect. */
  readonly reaches?: (address: string) => Promise<boolean>
}

/** How long another process may take to accept a connection, in milliseconds. */
const REACH_TIMEOUT = 500

/** How long the journal may take to answer, in milliseconds: a carrier waits for 15 s. */
const FIND_TIMEOUT = 5_000

/** Finds the process that serves a call, of all processes that share the journal. */
export class Directory {
  readonly #options: DirectoryOptions

  constructor(options: DirectoryOptions) {
    this.#options = options
  }

  /** Rejects while the journal is away. */
  async place(call: string): Promise<Place> {
    const { clock, journal, own } = this.#options
    const record = await answerWithin(clock, FIND_TIMEOUT, journal.find(call))
    if (!record) return { where: 'unknown' }
    if (record.state === 'closed') return { where: 'ended' }
    const lost = { where: 'lost', key: record.resume?.key, trace: record.trace } as const
    const { owner } = record
    if (!owner) return lost
    const me = own()
    if (owner.host === me.host && owner.worker === me.worker) return { where: 'here' }
    // This process under the id that it had before it was declared dead: it has let go of the call.
    const letGo = owner.address === me.address
    if (!letGo && (await this.#canReach(owner.address))) return { where: 'elsewhere', address: owner.address }
    return record.hostLost ? lost : { where: 'unreachable' }
  }

  /** Where an attempt to call somebody is made. `ended`: somebody has answered, and the process that called is gone. */
  async placeOfDial(query: { readonly key: string } | { readonly ticket: string }): Promise<Place> {
    const { clock, journal, own } = this.#options
    const record = await answerWithin(clock, FIND_TIMEOUT, journal.findDial(query))
    if (!record) return { where: 'unknown' }
    const { owner, outcome } = record
    const isHere = owner.address === own().address
    if (!isHere && (await this.#canReach(owner.address)))
      return { where: 'elsewhere', address: owner.address }
    if (outcome === 'answered') return { where: 'ended' }
    const isLost = isHere || outcome !== undefined
    return isLost ? { where: 'lost', key: undefined, trace: undefined } : { where: 'unreachable' }
  }

  #canReach(address: string): Promise<boolean> {
    return this.#options.reaches?.(address) ?? this.#reaches(address)
  }

  async #reaches(address: string): Promise<boolean> {
    const { host, port } = hostAndPort(address)
    if (!(port > 0 && port < 65_536)) return false
    return await new Promise((resolve) => {
      const socket = connect({ host, port })
      const done = (reached: boolean): void => {
        timer.clear()
        socket.destroy()
        resolve(reached)
      }
      const timer = this.#options.clock.after(REACH_TIMEOUT, `a connection to ${address}`, () => done(false))
      socket.once('connect', () => done(true))
      // Stays, since errors can follow.
      socket.on('error', () => done(false))
    })
  }
}

/** Splits `10.0.0.5:40123` or `[::1]:40123`. */
export function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':')
  return { host: address.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(address.slice(at + 1)) }
}
