import { systemClock, type Clock, type DialRequest } from '../../scope/index.ts'
import type { Manners } from '../sim-network.ts'
import { ServerConnection } from './server-connection.ts'

/** How a server treats connections, independent of the messages on them. */
export type ConnectionManners = Omit<Manners, 'opened' | 'message' | 'closed' | 'ended'>

/** The state of one connection of a vendor's server. */
export interface ServerSession {
  readonly connection: ServerConnection
  receive(data: string | Uint8Array): void
}

export interface VendorServerOptions {
  /** Default: the system clock. */
  clock?: Clock
  /** How connections are treated. `server.manners` can be changed between dials. Default: well-behaved. */
  manners?: ConnectionManners
  /** Never answers a close frame. */
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
  /** All dials so far, including refused ones. */
  readonly dials: DialRequest[] = []
  /** All accepted connections, the oldest first. */
  readonly sessions: Session[] = []
  protected readonly clock: Clock

  constructor({ clock = systemClock, manners = {}, ignoresClose = false }: VendorServerOptions) {
    this.clock = clock
    this.manners = { ...(ignoresClose ? { closeReply: 'never' } : {}), ...manners }
  }

  /** The `serve` function for a simulated network or a `LoopbackServer`. */
  readonly serve = (request: DialRequest): Manners => {
    this.dials.push(request)
    const refuse = this.refusalOf(request)
    if (refuse !== undefined) return { ...this.manners, refuse }
    let session: Session | undefined
    return {
      ...this.manners,
      opened: (peer) => {
        session = this.startSession(new ServerConnection(peer, this.clock))
        this.sessions.push(session)
      },
      message: (_, data) => {
        if (session?.connection.open) session.receive(data)
      },
      ended: () => session?.connection.ended(),
    }
  }

  /** The sessions whose connection is open. */
  get open(): Session[] {
    return this.sessions.filter(({ connection }) => connection.open)
  }

  /** Closes all connections with a close frame. */
  close(code = 1000, reason = ''): void {
    for (const { connection } of this.open) connection.close(code, reason)
  }

  /** Breaks all connections. */
  drop(): void {
    for (const { connection } of this.open) connection.drop()
  }

  /** Sends nothing more over the open connections, and leaves them open. */
  stall(): void {
    for (const { connection } of this.open) connection.stall()
  }

  /** The HTTP status to refuse a dial with; undefined to accept it. */
  protected abstract refusalOf(request: DialRequest): number | undefined

  /** Creates the session of a new connection and sends the server's first message. */
  protected abstract startSession(connection: ServerConnection): Session
}
