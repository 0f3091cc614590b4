import { systemClock, type Clock, type DialRequest } from '../../scope/index.ts'
import type { Manners } from '../sim-network.ts'
import { ServerConnection } from './server-connection.ts'

/** How a server treats connections as such, whatever is said on them. */
export type ConnectionManners = Omit<Manners, 'opened' | 'message' | 'closed' | 'ended'>

/** What a vendor's server knows of one connection. */
export interface ServerSession {
  readonly connection: ServerConnection
  receive(data: string | Uint8Array): void
}

export interface VendorServerOptions {
  /** Where the server's time comes from: the system unless set. */
  clock?: Clock
  /** How connections are treated: politely unless set. `server.manners` can be changed between dials. */
  manners?: ConnectionManners
  /** It never answers a close frame. */
  ignoresClose?: boolean
}

/**
 * A vendor's WebSocket server without a transport. The same server runs in virtual time and on real sockets:
 *
 * ```ts
 * network.serve = server.serve
 * ```
 */
export abstract class VendorServer<Session extends ServerSession> {
  /** How the next connections are treated. */
  manners: ConnectionManners
  /** Every dial there ever was, also refused ones. */
  readonly dials: DialRequest[] = []
  /** Every connection that was admitted, the oldest first. */
  readonly sessions: Session[] = []
  protected readonly clock: Clock

  constructor({ clock = systemClock, manners = {}, ignoresClose = false }: VendorServerOptions) {
    this.clock = clock
    this.manners = { ...(ignoresClose ? { closeReply: 'never' } : {}), ...manners }
  }

  /** Decides how one connection is treated: what a network or a listening socket asks. */
  readonly serve = (request: DialRequest): Manners => {
    this.dials.push(request)
    const refuse = this.refusalOf(request)
    if (refuse !== undefined) return { ...this.manners, refuse }
    let session: Session | undefined
    return {
      ...this.manners,
      opened: (peer) => {
        session = this.greet(new ServerConnection(peer, this.clock))
        this.sessions.push(session)
      },
      message: (_, data) => {
        if (session?.connection.open) session.receive(data)
      },
      ended: () => session?.connection.ended(),
    }
  }

  /** The sessions whose connection stands. */
  get open(): Session[] {
    return this.sessions.filter(({ connection }) => connection.open)
  }

  /** Ends every connection with a close frame. */
  close(code = 1000, reason = ''): void {
    for (const { connection } of this.open) connection.close(code, reason)
  }

  /** Breaks every connection. */
  drop(): void {
    for (const { connection } of this.open) connection.drop()
  }

  /** From here on the open connections hear nothing more, and stay open. */
  stall(): void {
    for (const { connection } of this.open) connection.stall()
  }

  /** The HTTP status a dial is refused with, if it is. */
  protected abstract refusalOf(request: DialRequest): number | undefined

  /** A connection stands: makes its session, and says what the server says first. */
  protected abstract greet(connection: ServerConnection): Session
}
