import {
  inVirtualTime,
  partContext,
  type Manners,
  type Peer,
  type TestPartContext,
  type World,
} from '../../src/testing/index.ts'
import {
  Link,
  type LinkConnection,
  type LinkEnd,
  type LinkError,
  type Protocol,
} from '../../src/link/index.ts'

/** A link on a simulated network, and a record of what happens to it. */
export interface LinkFixture {
  readonly world: World
  readonly context: TestPartContext
  /** Sets how the server treats the next connections, in this order. The last entry is used for all further ones. */
  readonly serve: (...manners: Manners[]) => void
  readonly open: (protocol?: Partial<Protocol>) => Promise<Link>
  /** What the server received, each prefixed with the number of the connection. */
  readonly received: string[]
  /** The protocol's callbacks. */
  readonly log: string[]
  readonly errors: LinkError[]
  /** The server's side of each connection that opened. */
  readonly peers: Peer[]
  readonly connections: LinkConnection[]
  /** What the link wrote to its logger. */
  readonly logged: string[]
}

export function withLink(test: (fixture: LinkFixture) => Promise<void>): Promise<void> {
  return inVirtualTime(async (world) => {
    const { clock, network } = world
    const logged: string[] = []
    const logAt =
      (level: string) =>
      (_fields: object, message: string): void =>
        void logged.push(`${level}: ${message}`)
    const context = partContext(world, {
      logger: { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
    })
    const fixture = {
      world,
      context,
      logged,
      received: [] as string[],
      log: [] as string[],
      errors: [] as LinkError[],
      peers: [] as Peer[],
      connections: [] as LinkConnection[],
      serve: (...manners: Manners[]) => {
        network.serve = inOrder(manners, fixture.peers, (peer, data) =>
          fixture.received.push(`${fixture.peers.indexOf(peer) + 1} ${data}`),
        )
      },
      open: (protocol: Partial<Protocol> = {}) =>
        Link.open(context, {
          name: 'stt',
          request: () => ({ url: 'wss://stt.example/v1?key=secret', headers: { authorization: 'secret' } }),
          opened: (connection) => {
            fixture.connections.push(connection)
            fixture.log.push(`${clock.now()} opened ${connection.generation}`)
            connection.ready()
          },
          message: (data, { generation }) => fixture.log.push(`${generation} said ${String(data)}`),
          lost: ({ class: as, code }: LinkEnd) =>
            fixture.log.push(`lost ${as}${code === undefined ? '' : ` ${code}`}`),
          failed: (error) => fixture.errors.push(error),
          ...protocol,
        }),
    }
    fixture.serve({})
    try {
      await test(fixture)
    } finally {
      await context.scope.close()
    }
  })
}

/**
 * A server that treats its connections in this order, and the last entry's way from then on. It adds the peers that
 * open to `peers`.
 */
export function inOrder(
  manners: Manners[],
  peers: Peer[],
  received: (peer: Peer, text: string) => void,
): () => Manners {
  return () => {
    const next = manners.length > 1 ? manners.shift() : manners[0]
    return {
      ...next,
      opened: (peer) => {
        peers.push(peer)
        next?.opened?.(peer)
      },
      message: (peer, data) => {
        received(peer, String(data))
        next?.message?.(peer, data)
      },
    }
  }
}

/** What a promise rejects with, or undefined. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )
