import { describe, expect, it } from 'vitest'
import { ScopeClosedError } from '../scope/index.ts'
import {
  inVirtualTime,
  partContext,
  type Manners,
  type Peer,
  type TestPartContext,
  type World,
} from '../testing/index.ts'
import { Link, LinkError, type Data, type LinkConnection, type LinkEnd, type Protocol } from './index.ts'

/** A link on a simulated network, and all that is known of it. */
interface Fixture {
  readonly world: World
  readonly context: TestPartContext
  /** Treats the next connections like this, in this order; the last stays. */
  readonly serve: (...manners: Manners[]) => void
  readonly open: (protocol?: Partial<Protocol>) => Promise<Link>
  /** What the peers were told, with the number of the connection. */
  readonly heard: string[]
  /** What the protocol was told. */
  readonly story: string[]
  readonly errors: LinkError[]
  /** The server's side of each connection that opened. */
  readonly peers: Peer[]
  readonly connections: LinkConnection[]
  readonly logged: string[]
}

function onLink(test: (fixture: Fixture) => Promise<void>): Promise<void> {
  return inVirtualTime(async (world) => {
    const { clock, network } = world
    const logged: string[] = []
    const log =
      (level: string) =>
      (_fields: object, message: string): void =>
        void logged.push(`${level}: ${message}`)
    const context = partContext(world, {
      logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    })
    const fixture = {
      world,
      context,
      logged,
      heard: [] as string[],
      story: [] as string[],
      errors: [] as LinkError[],
      peers: [] as Peer[],
      connections: [] as LinkConnection[],
      serve: (...manners: Manners[]) => {
        network.serve = () => {
          const next = manners.length > 1 ? manners.shift() : manners[0]
          return {
            ...next,
            opened: (peer) => {
              fixture.peers.push(peer)
              next?.opened?.(peer)
            },
            message: (peer, data) => {
              fixture.heard.push(`${fixture.peers.indexOf(peer) + 1} ${String(data)}`)
              next?.message?.(peer, data)
            },
          }
        }
      },
      open: (protocol: Partial<Protocol> = {}) =>
        Link.open(context, {
          name: 'stt',
          request: () => ({ url: 'wss://stt.example/v1?key=secret', headers: { authorization: 'secret' } }),
          opened: (connection) => {
            fixture.connections.push(connection)
            fixture.story.push(`${clock.now()} opened ${connection.generation}`)
            connection.ready()
          },
          message: (data, { generation }) => fixture.story.push(`${generation} said ${String(data)}`),
          lost: ({ class: as, code }: LinkEnd) =>
            fixture.story.push(`lost ${as}${code === undefined ? '' : ` ${code}`}`),
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

/** What a promise was rejected with. */
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

function fails(): never {
  throw new Error('a mistake')
}

const asText = (data: Data): string => String(data)

describe('opening a link', () => {
  it('[LK5] resolves when the peer has agreed to the setup, not when the socket is open', () =>
    onLink(async ({ world, serve, open, heard }) => {
      serve({ message: (peer) => peer.after(500, () => peer.send('agreed')) })
      await open({
        opened: (connection) => connection.send('setup'),
        message: (data, connection) => {
          if (data === 'agreed') connection.ready()
        },
      })
      expect(heard).toEqual(['1 setup'])
      expect(world.clock.now()).toBeGreaterThan(500)
    }))

  it.each<[string, Manners, string, RegExp]>([
    ['unauthorised', { refuse: 401 }, 'LINK_REFUSED', /^link 'stt' was refused: HTTP 401\. Check the key\.$/],
    ['not found', { refuse: 404 }, 'LINK_REFUSED', /HTTP 404\. Check the address, the model/],
    ['silent', { connect: 'never' }, 'LINK_TIMEOUT', /^link 'stt' was not ready in time/],
    ['refused by the network', { refuse: 0 }, 'LINK_FAILED', /used up its retries/],
    ['overloaded', { refuse: 503 }, 'LINK_FAILED', /HTTP 503/],
    [
      'closed before the setup',
      { opened: (peer) => peer.close(1011, 'quota') },
      'LINK_FAILED',
      /closed with 1011 "quota"/,
    ],
    [
      'closed for good',
      { opened: (peer) => peer.close(1008, 'no such model') },
      'LINK_FATAL',
      /closed with 1008 "no such model"/,
    ],
    ['broken', { dropAfter: 5 }, 'LINK_FAILED', /broken with 1006/],
    ['half-open', { halfOpenAfter: 0 }, 'LINK_TIMEOUT', /not ready in time/],
  ])('[LK5] rejects in bounded time, without secrets, when the peer is %s', (_, manners, code, message) =>
    onLink(async ({ world, context, serve, open, story }) => {
      serve(manners)
      const error = await failure(open({ opened: () => {} }))
      expect(error).toBeInstanceOf(LinkError)
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
      expect(JSON.stringify(error) + (error as Error).message).not.toContain('secret')
      expect(world.clock.now()).toBeLessThanOrEqual(8_000)
      expect(story).toEqual([])
      // Nothing is owned, nothing goes on, and the report knows.
      expect(context.scope.inspect().tree.owned).toEqual([])
      expect(context.connections).toMatchObject([{ name: 'stt', how: 'dropped' }])
      const { dials } = world.network
      await world.clock.elapse(60_000)
      expect(world.network.dials).toBe(dials)
    }),
  )

  it.each<[string, Manners, number]>([
    ['while TCP connects', { connect: 'never' }, 100],
    ['in the setup', {}, 100],
    ['between two attempts', { refuse: 503 }, 2],
    ['in the same tick', {}, 0],
  ])('[LK5] [LK4] rejects when its scope closes %s, and dials no more', (_, manners, after) =>
    onLink(async ({ world, context, serve, open }) => {
      serve(manners)
      const opening = failure(open({ opened: () => {}, timing: { backoff: 5_000 } }))
      if (after > 0) await world.clock.elapse(after)
      const { dials } = world.network
      const closing = context.scope.close()
      expect(world.network.sockets.size).toBe(0)
      expect(await opening).toBeInstanceOf(ScopeClosedError)
      expect(await closing).toMatchObject({ clean: true })
      await world.clock.elapse(60_000)
      expect(world.network.dials).toBe(dials)
      expect(context.connections).toEqual([
        {
          name: 'stt',
          how: 'closed',
          retries: dials > 0 && manners.refuse ? 1 : 0,
          ...(manners.refuse ? { reason: 'HTTP 503' } : {}),
        },
      ])
    }),
  )

  it('[LK5] opens nothing in a scope that is closed', () =>
    onLink(async ({ world, context, open }) => {
      await context.scope.close()
      expect(await failure(open())).toBeInstanceOf(ScopeClosedError)
      expect([world.network.dials, context.connections]).toEqual([0, []])
    }))

  it('[LK3] tries again within the budget, with full jitter, and is there in the end', () =>
    onLink(async ({ world, serve, open, context }) => {
      serve({ refuse: 503 }, { refuse: 0 }, { dropAfter: 0 }, {})
      const link = await open({ opened: (connection) => connection.generation === 4 && connection.ready() })
      expect(link.status).toMatchObject({ phase: 'ready', generation: 4, retries: 3, failures: 3 })
      expect(world.clock.now()).toBeLessThanOrEqual(250 + 500 + 1_000 + 10)
      await context.scope.close()
      expect(context.connections).toEqual([{ name: 'stt', how: 'closed', code: 1000, retries: 3 }])
    }))
})

describe('the wait before a retry', () => {
  it.each([
    [0, [0, 0, 0]],
    [0.5, [125, 250, 500]],
    [0.999, [249.75, 499.5, 999]],
  ])('[LK3] is drawn from nothing to a bound that doubles: %d', (chance, waits) =>
    inVirtualTime(async (world) => {
      const dialled: number[] = []
      const context = partContext({ ...world, random: { next: () => chance } })
      world.network.serve = () => {
        dialled.push(world.clock.now())
        return { connect: 0, refuse: 503 }
      }
      const protocol = { name: 'stt', request: () => ({ url: 'ws://stt' }), message() {}, failed() {} }
      await failure(Link.open(context, { ...protocol, timing: { retries: 3 } }))
      expect(dialled.slice(1).map((at, index) => at - (dialled[index] ?? 0))).toEqual(waits)
      await context.scope.close()
    }),
  )
})

describe('sending', () => {
  it('goes straight to the socket, in order', () =>
    onLink(async ({ world, open, heard }) => {
      const link = await open()
      link.send('a')
      link.sendAudio('b')
      link.send(new Uint8Array([67]))
      await world.clock.elapse(5)
      expect(heard).toEqual(['1 a', '1 b', '1 67'])
      expect(link.status).toMatchObject({ queued: 0, droppedAudio: 0 })
    }))

  it('[LK10] waits for a connection, and goes out in order when there is one', () =>
    onLink(async ({ world, open, heard, peers }) => {
      const link = await open()
      peers[0]?.drop()
      link.sendAudio('a1')
      link.send('c1')
      link.sendAudio('a2')
      expect(link.status.queued).toBe(3)
      await world.clock.elapse(1_000)
      expect(heard).toEqual(['2 a1', '2 c1', '2 a2'])
    }))

  it('[LK10] drops the oldest audio and counts it; never a control message', () =>
    onLink(async ({ world, open, heard, peers }) => {
      const link = await open({ queue: { audio: 2 } })
      peers[0]?.drop()
      for (const data of ['a1', 'a2']) link.sendAudio(data)
      link.send('c1')
      for (const data of ['a3', 'a4']) link.sendAudio(data)
      expect(link.status).toMatchObject({ queued: 3, droppedAudio: 2 })
      await world.clock.elapse(1_000)
      expect(heard).toEqual(['2 c1', '2 a3', '2 a4'])
    }))

  it('[LK10] is fatal when more control messages wait than may', () =>
    onLink(async ({ context, open, peers, errors, world }) => {
      const link = await open({ queue: { control: 3 } })
      peers[0]?.drop()
      for (const data of ['c1', 'c2', 'c3']) link.send(data)
      expect(errors).toEqual([])
      link.send('c4')
      expect(errors).toMatchObject([{ code: 'LINK_OVERFLOW' }])
      expect(link.status).toMatchObject({ phase: 'closed', queued: 0 })
      link.send('c5')
      link.sendAudio('a1')
      expect(link.status.queued).toBe(0)
      expect(context.connections).toMatchObject([{ how: 'dropped', code: 1006 }])
      await world.clock.elapse(10_000)
      expect(world.network.dials).toBe(1)
    }))

  it('[LK10] holds back when the peer does not read, and goes on when it does', () =>
    onLink(async ({ world, open, peers, heard }) => {
      const link = await open({ queue: { audio: 10 } })
      peers[0]?.pause()
      const frame = 'x'.repeat(100_000)
      for (let n = 0; n < 20; n++) {
        link.sendAudio(`${n} ${frame}`)
        await world.clock.elapse(5)
      }
      // Three fill what a socket may hold back; of the others the newest ten wait.
      expect(link.status).toMatchObject({ queued: 10, droppedAudio: 7 })
      peers[0]?.resume()
      await world.clock.elapse(200)
      expect(heard.map((text) => text.split(' ', 2)[1])).toEqual(
        [0, 1, 2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map(String),
      )
      expect(link.status.queued).toBe(0)
    }))

  it('[LK10] lets nothing overtake what waits', () =>
    onLink(async ({ world, open, peers, heard }) => {
      const link = await open()
      peers[0]?.pause()
      for (let n = 0; n < 4; n++) link.send(`${n} ${'x'.repeat(200_000)}`)
      await world.clock.elapse(5)
      link.send('4 waits')
      peers[0]?.resume()
      // The socket could take it at once.
      link.send('5 comes after it')
      await world.clock.elapse(100)
      expect(heard.map((text) => Number(text.split(' ', 2)[1]))).toEqual([0, 1, 2, 3, 4, 5])
    }))

  it('keeps an unused connection open, and sends nothing more once it is closing', () =>
    onLink(async ({ world, context, open, heard }) => {
      const link = await open({ keepAlive: { every: 4_000, frame: () => 'KeepAlive' } })
      await world.clock.elapse(9_000)
      expect(heard).toEqual(['1 KeepAlive', '1 KeepAlive'])
      for (let n = 0; n < 8; n++) {
        link.sendAudio('a')
        await world.clock.elapse(1_000)
      }
      expect(heard.filter((text) => text === '1 KeepAlive')).toHaveLength(2)
      await context.scope.close()
      await world.clock.elapse(60_000)
      expect(heard.filter((text) => text === '1 KeepAlive')).toHaveLength(2)
    }))

  it('keeps it open always, if asked to', () =>
    onLink(async ({ world, open, heard }) => {
      const link = await open({ keepAlive: { every: 1_000, frame: () => 'beat', always: true } })
      link.send('a')
      await world.clock.elapse(1_500)
      expect(heard).toEqual(['1 a', '1 beat'])
    }))

  it('cuts a connection on which an answer is owed too long, and opens another', () =>
    onLink(async ({ world, open, serve, story }) => {
      serve({ halfOpenAfter: 10_000, message: (peer) => peer.send('answer') })
      const link = await open({ timing: { answer: 3_000 } })
      await world.clock.elapse(5_000)
      link.send('question')
      await world.clock.elapse(6_000)
      expect(link.status.generation).toBe(1)
      link.send('question')
      await world.clock.elapse(2_900)
      expect(link.status.phase).toBe('ready')
      await world.clock.elapse(1_000)
      expect(link.status).toMatchObject({
        phase: 'ready',
        generation: 2,
        last: { class: 'dropped', reason: 'no answer' },
      })
      expect(story.slice(1, 3)).toEqual(['1 said answer', 'lost dropped'])
    }))
})

describe('ends', () => {
  it.each<[string, (peer: Peer) => void, number]>([
    ['broken', (peer) => peer.drop(), 1006],
    ['closed with 1000, which nobody asked for', (peer) => peer.close(1000), 1000],
    ['closed with 1011', (peer) => peer.close(1011, 'internal'), 1011],
  ])('[LK2] a connection that is %s was dropped, and is opened anew', (_, end, code) =>
    onLink(async ({ world, open, peers, story, errors, context }) => {
      const link = await open()
      end(peers[0]!)
      await world.clock.elapse(1_000)
      expect(link.status).toMatchObject({
        phase: 'ready',
        generation: 2,
        retries: 1,
        last: { class: 'dropped', code },
      })
      expect(story[1]).toBe(`lost dropped ${code}`)
      expect(errors).toEqual([])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
    }),
  )

  it('[LK2] a drop that cannot be resumed is an error, never a silent end', () =>
    onLink(async ({ world, open, peers, errors, context, story }) => {
      let resumable = true
      await open({ canResume: () => resumable })
      peers[0]?.drop()
      await world.clock.elapse(1_000)
      resumable = false
      peers[1]?.close(1001, 'going away')
      await world.clock.elapse(1_000)
      expect(errors).toMatchObject([
        { code: 'LINK_LOST', end: { class: 'dropped', code: 1001, reason: 'going away' } },
      ])
      expect(context.connections).toEqual([
        { name: 'stt', how: 'dropped', code: 1001, reason: 'going away', retries: 1 },
      ])
      expect([world.network.dials, story.filter((text) => text.startsWith('lost'))]).toEqual([
        2,
        ['lost dropped 1006'],
      ])
      expect(context.scope.inspect().tree.owned).toEqual([])
    }))

  it('[LK2] a fatal end is not tried again', () =>
    onLink(async ({ world, open, peers, errors }) => {
      await open()
      peers[0]?.close(1008, 'key revoked')
      await world.clock.elapse(10_000)
      expect(errors).toMatchObject([{ code: 'LINK_FATAL' }])
      expect(world.network.dials).toBe(1)
    }))

  it("[LK2] the provider's own table comes first, and only it knows idle and expired ends", () =>
    onLink(async ({ world, open, peers, errors }) => {
      const link = await open({ classify: ({ code }) => (code === 1011 ? 'fatal' : undefined) })
      peers[0]?.close(1000)
      await world.clock.elapse(1_000)
      expect(link.status.phase).toBe('ready')
      peers[1]?.close(1011)
      await world.clock.elapse(1_000)
      expect(errors).toMatchObject([{ code: 'LINK_FATAL', end: { code: 1011 } }])
    }))

  const idleTable: Partial<Protocol> = { classify: ({ code }) => (code === 1011 ? 'idle' : undefined) }

  it('[LK2] sleeps after an idle end: silence does not wake it, speech and text do', () =>
    onLink(async ({ world, open, peers, heard }) => {
      const link = await open(idleTable)
      peers[0]?.close(1011, 'NET-0001')
      await world.clock.elapse(5)
      expect(link.status).toMatchObject({ phase: 'idle', retries: 0 })
      link.sendAudio('silence')
      await world.clock.elapse(600_000)
      expect([link.status.phase, world.network.dials, world.network.sockets.size]).toEqual(['idle', 1, 0])
      link.wake()
      await world.clock.elapse(10)
      expect([link.status.phase, heard]).toEqual(['ready', ['2 silence']])
      peers[1]?.send('a transcript')
      await world.clock.elapse(5)
      peers[1]?.close(1011)
      await world.clock.elapse(5)
      expect(link.status.phase).toBe('idle')
      link.send('text')
      await world.clock.elapse(10)
      expect(link.status).toMatchObject({ phase: 'ready', retries: 0 })
      expect(heard).toEqual(['2 silence', '3 text'])
    }))

  it('[LK2] two idle ends with no server message between them are a drop', () =>
    onLink(async ({ world, open, peers }) => {
      const link = await open(idleTable)
      peers[0]?.close(1011)
      await world.clock.elapse(5)
      link.wake()
      await world.clock.elapse(5)
      peers[1]?.close(1011)
      await world.clock.elapse(1_000)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 3, retries: 1 })
    }))

  it('[LK2] an end can be told by a message: the socket is closed, and nothing more is heard of it', () =>
    onLink(async ({ world, open, peers, story }) => {
      const link = await open({
        message: (data, connection) => {
          story.push(`${connection.generation} said ${String(data)}`)
          if (data === 'session_expired') connection.end('expired', 'session_expired')
        },
      })
      peers[0]?.send('session_expired')
      peers[0]?.send('and another thing')
      await world.clock.elapse(1_000)
      expect(link.status).toMatchObject({
        phase: 'ready',
        generation: 2,
        last: { class: 'expired', reason: 'session_expired' },
      })
      expect(story.filter((text) => text.startsWith('1 said'))).toEqual(['1 said session_expired'])
      expect(world.network.sockets.size).toBe(1)
    }))

  it('[LK2] an asked-for end is logged as such, never as an error', () =>
    onLink(async ({ open, context, logged }) => {
      await open()
      await context.scope.close()
      expect(logged).toEqual(['info: link closed'])
    }))

  it('what its protocol throws is the end of this link alone, with the cause', () =>
    onLink(async ({ world, open, peers, errors }) => {
      const mistake = new Error('bad JSON')
      await open({
        message: () => {
          throw mistake
        },
        lost: () => {
          throw mistake
        },
      })
      peers[0]?.send('{')
      await world.clock.elapse(100)
      expect(errors).toMatchObject([{ code: 'LINK_FATAL', cause: mistake }])
    }))

  it("keeps a peer's words short", () =>
    onLink(async ({ world, open, peers, context }) => {
      await open({ canResume: () => false })
      peers[0]?.close(1011, 'x'.repeat(5_000))
      await world.clock.elapse(100)
      expect(context.connections[0]?.reason).toHaveLength(200)
    }))
})

describe('options of a link', () => {
  it.each<[string, Partial<Protocol>]>([
    ['a negative time', { timing: { handshake: -1 } }],
    ['a time without end', { timing: { open: Infinity } }],
    ['a queue that is none', { queue: { audio: Number.NaN } }],
    ['a keep-alive without a pause', { keepAlive: { every: 0, frame: () => '' } }],
    ['more patience than the socket has', { closePatience: 60_000 }],
  ])('refuses %s before anything is opened', (_, protocol) =>
    onLink(async ({ world, open }) => {
      expect(await failure(open(protocol))).toMatchObject({ code: 'BAD_OPTION' })
      expect(world.network.dials).toBe(0)
    }),
  )
})

describe('the budget', () => {
  it('[LK3] is spent by failures in a row', () =>
    onLink(async ({ world, serve, open, errors, peers, context }) => {
      await open({ timing: { retries: 3 } })
      serve({ refuse: 0 })
      peers[0]?.drop()
      await world.clock.elapse(60_000)
      expect(errors).toMatchObject([{ code: 'LINK_FAILED' }])
      expect(world.network.dials).toBe(1 + 3)
      expect(context.connections).toMatchObject([{ how: 'dropped', retries: 3 }])
    }))

  it('[LK3] is refilled by a connection that was ready for a while and answered, and by no other', () =>
    onLink(async ({ world, serve, open, errors }) => {
      const timing = { retries: 2, healthyAfter: 10_000 }
      serve({ dropAfter: 10_500, opened: (peer) => peer.after(1, () => peer.send('hello')) })
      const healthy = await open({ timing })
      await world.clock.elapse(600_000)
      expect(errors).toEqual([])
      expect(healthy.status.retries).toBeGreaterThan(40)
      // It answers, but not for long.
      serve({ dropAfter: 5_000, opened: (peer) => peer.after(1, () => peer.send('hello')) })
      await world.clock.elapse(60_000)
      expect(errors).toHaveLength(1)
      // It stands for long, and says nothing.
      serve({ dropAfter: 20_000 })
      await open({ timing })
      await world.clock.elapse(600_000)
      expect(errors).toHaveLength(2)
    }))

  it('[LK3] has a limit for the whole life of the link above it', () =>
    onLink(async ({ world, serve, open, errors }) => {
      serve({ dropAfter: 10_500, opened: (peer) => peer.after(1, () => peer.send('hello')) })
      const link = await open({ timing: { lifetimeRetries: 4 } })
      await world.clock.elapse(600_000)
      expect(errors).toMatchObject([{ code: 'LINK_FAILED' }])
      expect(link.status.generation).toBe(5)
    }))

  it('[LK3] is not touched by planned rollovers and idle ends', () =>
    onLink(async ({ world, serve, open, peers }) => {
      serve({ opened: (peer) => peer.after(1, () => peer.send('hello')) })
      const link = await open({
        rollover: { order: 'new-first', maxAge: 60_000 },
        classify: ({ code }) => (code === 4_000 ? 'idle' : undefined),
      })
      await world.clock.elapse(3_600_500)
      expect(link.status).toMatchObject({ generation: 61, retries: 0, failures: 0 })
      for (let n = 0; n < 10; n++) {
        peers.at(-1)?.close(4_000)
        await world.clock.elapse(5)
        link.wake()
        await world.clock.elapse(10)
      }
      expect(link.status).toMatchObject({ generation: 71, retries: 0, failures: 0 })
    }))
})

describe('rollover', () => {
  it('[LK8] new socket first: the old one serves until the new one is ready, and is not heard after that', () =>
    onLink(async ({ world, serve, open, peers, heard, story }) => {
      serve({ latency: 50, closeReply: 500 })
      const link = await open({
        opened: (connection) => {
          connection.send('setup')
          if (connection.generation === 1) connection.ready()
        },
        message: (data, connection) => {
          story.push(`${connection.generation} said ${String(data)}`)
          if (data === 'agreed') connection.ready()
        },
      })
      link.rollOver()
      await world.clock.elapse(100)
      expect(link.status.phase).toBe('rolling-over')
      link.sendAudio('a1')
      peers[0]?.send('still here')
      await world.clock.elapse(100)
      peers[1]?.send('agreed')
      peers[0]?.send('crosses it')
      await world.clock.elapse(60)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 2, retries: 0 })
      link.sendAudio('a2')
      peers[0]?.send('too late')
      await world.clock.elapse(1_000)
      expect(story).toEqual(['1 said still here', '2 said agreed', 'lost asked'])
      expect(heard).toEqual(['1 setup', '2 setup', '1 a1', '2 a2'])
      expect(world.network.sockets.size).toBe(1)
    }))

  it('[LK8] old socket first: the new one is dialled when the old one has ended; audio waits', () =>
    onLink(async ({ world, serve, open, peers, heard, story }) => {
      serve({ closeReply: 300, connect: 100 })
      const sockets: number[] = []
      const link = await open({
        rollover: { order: 'old-first' },
        request: () => {
          sockets.push(world.network.sockets.size)
          return { url: 'ws://gemini' }
        },
      })
      peers[0]?.send('goAway')
      await world.clock.elapse(5)
      link.rollOver()
      link.sendAudio('a1')
      peers[0]?.send('the last handle')
      await world.clock.elapse(200)
      expect(link.status).toMatchObject({ phase: 'rolling-over', queued: 1 })
      await world.clock.elapse(500)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 2, retries: 0 })
      expect(sockets).toEqual([0, 0])
      expect(heard).toEqual(['2 a1'])
      expect(story.slice(1, 4)).toEqual(['1 said goAway', 'lost asked', '1 said the last handle'])
    }))

  it('[LK8] an old socket that ignores its close frame is cut, and the new one comes', () =>
    onLink(async ({ world, serve, open }) => {
      serve({ closeReply: 'never' })
      const link = await open({ rollover: { order: 'old-first' } })
      link.rollOver()
      await world.clock.elapse(1_600)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 2 })
      expect(world.network.sockets.size).toBe(1)
    }))

  it('[LK8] is made at the time that the peer gave, the nearest of several', () =>
    onLink(async ({ world, open, connections, story }) => {
      await open({ rollover: { order: 'new-first', maxAge: 3_600_000 } })
      connections[0]?.rollOver(50_000)
      connections[0]?.rollOver(90_000)
      await world.clock.elapse(60_000)
      expect(story).toEqual(['1 opened 1', '50002 opened 2', 'lost asked'])
      // The first has nothing to say any more.
      connections[0]?.rollOver()
      await world.clock.elapse(1_000)
      expect(world.network.dials).toBe(2)
    }))

  it('[LK8] a peer that sends each connection away at once is obeyed once a second', () =>
    onLink(async ({ world, open }) => {
      const link = await open({
        opened: (connection) => {
          connection.ready()
          connection.rollOver()
        },
      })
      await world.clock.elapse(10_000)
      expect(link.status).toMatchObject({ generation: 11, retries: 0 })
    }))

  it('[LK8] the old connection serves on if no new one can be had, and what ends it is the end', () =>
    onLink(async ({ world, serve, open, peers, errors }) => {
      const link = await open({ timing: { retries: 2 } })
      serve({ refuse: 503 })
      link.rollOver()
      await world.clock.elapse(60_000)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 4, failures: 2 })
      expect(errors).toEqual([])
      peers[0]?.close(1001)
      await world.clock.elapse(60_000)
      expect(errors).toMatchObject([{ code: 'LINK_FAILED' }])
    }))

  it('[LK8] an expired session is opened anew at once, and that costs nothing', () =>
    onLink(async ({ world, open, peers }) => {
      const link = await open({ classify: ({ code }) => (code === 1001 ? 'expired' : undefined) })
      peers[0]?.send('hello')
      await world.clock.elapse(3_600_000)
      peers[0]?.close(1001, 'maximum duration')
      await world.clock.elapse(3)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 2, retries: 0 })
    }))
})

describe('closing a link', () => {
  const closeStream: Partial<Protocol> = {
    ending: {
      frames: () => ['CloseStream'],
      answer: (data) => asText(data) === 'Metadata',
    },
  }

  it('[LK1] learns the intent before any frame is sent, and from then on dials nothing', () =>
    onLink(async ({ world, context, open, peers, serve }) => {
      const link = await open({ timing: { backoff: 5_000 } })
      serve({})
      peers[0]?.drop()
      await world.clock.elapse(1)
      expect(link.status.phase).toBe('backing-off')
      const closing = context.scope.close()
      expect(link.status.phase).toBe('closed')
      link.wake()
      link.rollOver()
      link.send('anybody there?')
      await closing
      await world.clock.elapse(60_000)
      expect(world.network.dials).toBe(1)
      // It was lost, and never came back: that is no clean end.
      expect(context.connections).toEqual([{ name: 'stt', how: 'dropped', code: 1006, retries: 1 }])
    }))

  it('[LK1] [LK9] a drop, a goAway and an idle wake that come while it closes dial nothing', () =>
    onLink(async ({ world, context, serve, open, peers, connections }) => {
      serve({ closeReply: 'never' })
      const link = await open({ rollover: { order: 'new-first', maxAge: 5_000 } })
      await world.clock.elapse(4_000)
      const closing = context.scope.close()
      expect(link.status.phase).toBe('closing')
      connections[0]?.rollOver()
      connections[0]?.end('dropped')
      connections[0]?.ready()
      link.wake()
      peers[0]?.send('goAway')
      peers[0]?.drop()
      await closing
      await world.clock.elapse(60_000)
      expect(world.network.dials).toBe(1)
    }))

  it('[LK7] ends as its protocol wants, is acknowledged, and says so', () =>
    onLink(async ({ world, context, serve, open, heard }) => {
      serve({ message: (peer, data) => data === 'CloseStream' && peer.send('Metadata') })
      await open(closeStream)
      expect(await context.scope.close()).toMatchObject({ clean: true })
      expect(heard).toEqual(['1 CloseStream'])
      expect(context.connections).toEqual([{ name: 'stt', how: 'acknowledged', code: 1000, retries: 0 }])
      expect(world.clock.now()).toBeLessThan(20)
    }))

  it('[LK7] the last words between the ending frame and its acknowledgement reach whoever wants them', () =>
    onLink(async ({ context, serve, open, story, world }) => {
      serve({
        message: (peer, data) => {
          if (data !== 'CloseStream') return
          peer.after(300, () => peer.send('last words'))
          peer.after(400, () => peer.send('Metadata'))
          peer.after(400, () => peer.close(1000))
        },
      })
      const link = await open({
        ending: {
          frames: () => ['CloseStream'],
          answer: (data) => {
            story.push(`answer ${String(data)}`)
            return data === 'Metadata'
          },
        },
      })
      // As in a session: tasks come first, and the link is ended after them.
      context.scope.spawn('last words', () => world.clock.elapse(350), { phase: 'tasks' })
      const closing = context.scope.close()
      link.send('Finalize')
      await closing
      expect(story).toEqual(['1 opened 1', 'answer last words', 'answer Metadata'])
      expect(context.connections).toMatchObject([{ how: 'acknowledged', code: 1000 }])
    }))

  it('[LK7] an acknowledgement that does not come is not waited for beyond its bound, and the report says so', () =>
    onLink(async ({ world, context, open }) => {
      await open(closeStream)
      expect(await context.scope.close()).toMatchObject({ clean: true })
      expect(world.clock.now()).toBeLessThan(1_010)
      expect(context.connections).toEqual([{ name: 'stt', how: 'closed', code: 1000, retries: 0 }])
    }))

  it('[LK6] a peer that ignores the close frame is cut off inside the deadline', () =>
    onLink(async ({ world, context, serve, open }) => {
      serve({ closeReply: 'never' })
      await open()
      const report = await context.scope.close()
      expect(report.took).toBe(1_500)
      expect(world.network.sockets.size).toBe(0)
      expect(context.connections).toEqual([{ name: 'stt', how: 'aborted', retries: 0 }])
    }))

  it('[LK6] a peer known to ignore it is cut after its patience, and counts as closed', () =>
    onLink(async ({ context, serve, open }) => {
      serve({ closeReply: 'never' })
      await open({ closePatience: 200 })
      const report = await context.scope.close()
      expect(report).toMatchObject({ took: 200, clean: true })
      expect(context.connections).toEqual([{ name: 'stt', how: 'closed', retries: 0 }])
    }))

  it('[LK6] a line that went dead is cut off, too', () =>
    onLink(async ({ context, serve, open, world }) => {
      serve({ halfOpenAfter: 10 })
      await open(closeStream)
      await world.clock.elapse(100)
      const report = await context.scope.close()
      expect(report.took).toBe(2_500)
      expect(context.connections).toMatchObject([{ how: 'aborted' }])
    }))

  it('[LK6] abort() ends it before it returns, whatever it does', () =>
    onLink(async ({ context, serve, open, world }) => {
      serve({ closeReply: 'never' })
      await open(closeStream)
      const closing = context.scope.close()
      await world.clock.elapse(1)
      context.scope.abort()
      expect([world.network.sockets.size, world.clock.timers.size]).toEqual([0, 0])
      expect(context.connections).toEqual([{ name: 'stt', how: 'aborted', retries: 0 }])
      await closing
    }))

  it('[LK9] while it closes it sends its ending frames and nothing else, and acts on their answers alone', () =>
    onLink(async ({ world, context, serve, open, peers, heard, story, connections }) => {
      serve({ closeReply: 500 })
      const link = await open(closeStream)
      const closing = context.scope.close()
      link.send('c1')
      link.sendAudio('a1')
      connections[0]?.send('c2')
      peers[0]?.send('toolCall')
      peers[0]?.send('goAway')
      await world.clock.elapse(10)
      expect(story).toEqual(['1 opened 1'])
      peers[0]?.send('Metadata')
      await world.clock.elapse(10)
      peers[0]?.send('one more thing')
      await closing
      peers[0]?.send('after the end')
      link.send('c3')
      connections[0]?.send('c4')
      await world.clock.elapse(1_000)
      expect(heard).toEqual(['1 CloseStream'])
      expect(story).toEqual(['1 opened 1'])
    }))

  it('[LK9] a protocol without an end of its own can hear the last words, too', () =>
    onLink(async ({ world, context, open, peers, story }) => {
      await open({
        ending: {
          answer: (data) => {
            story.push(`answer ${String(data)}`)
            return true
          },
        },
      })
      context.scope.spawn('last words', () => world.clock.elapse(100), { phase: 'tasks' })
      const closing = context.scope.close()
      peers[0]?.send('the last transcript')
      expect(await closing).toMatchObject({ clean: true })
      expect(story).toEqual(['1 opened 1', 'answer the last transcript'])
      // It waited for nothing: there was nothing to acknowledge.
      expect(context.connections).toEqual([{ name: 'stt', how: 'closed', code: 1000, retries: 0 }])
    }))

  it.each<[string, Partial<Protocol>]>([
    ['ending frames that cannot be made', { ending: { frames: fails } }],
    ['an answer that is not understood', { ending: { frames: () => ['CloseStream'], answer: fails } }],
    ['a table of ends that throws', { classify: fails }],
  ])('[LK6] closes in spite of %s', (_, protocol) =>
    onLink(async ({ context, serve, open }) => {
      serve({ message: (peer) => peer.send('Metadata') })
      await open(protocol)
      expect(await context.scope.close()).toMatchObject({ clean: true })
      expect(context.connections).toMatchObject([{ how: 'closed', code: 1000 }])
    }),
  )

  it('a drop before our close frame is reported as one, after it as the end we asked for', () =>
    onLink(async ({ world, context, serve, open, peers }) => {
      serve({ closeReply: 'never' })
      await open()
      context.scope.spawn('tool', () => world.clock.elapse(100), { phase: 'tasks' })
      const closing = context.scope.close()
      peers[0]?.drop()
      await closing
      expect(context.connections).toEqual([{ name: 'stt', how: 'dropped', code: 1006, retries: 0 }])
    }))

  it('a rollover that could not be made is no clean end', () =>
    onLink(async ({ world, context, serve, open }) => {
      const link = await open({ rollover: { order: 'old-first' } })
      serve({ refuse: 503 })
      link.rollOver()
      await world.clock.elapse(100)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'dropped', reason: 'HTTP 503' }])
    }))

  it('closes a link that sleeps at once', () =>
    onLink(async ({ world, context, open, peers }) => {
      const link = await open({ classify: () => 'idle' })
      peers[0]?.close(1011, 'NET-0001')
      await world.clock.elapse(10)
      expect(link.status.phase).toBe('idle')
      expect(await context.scope.close()).toMatchObject({ took: 0, clean: true })
      expect(context.connections).toEqual([
        { name: 'stt', how: 'closed', code: 1011, reason: 'NET-0001', retries: 0 },
      ])
    }))

  it.each([1, 100, 350])(
    '[LK1] closing %i ms into a rollover dials nothing more, and leaves nothing',
    (after) =>
      onLink(async ({ world, context, serve, open }) => {
        serve({ closeReply: 300, connect: 100 })
        const link = await open({ rollover: { order: 'old-first' } })
        link.rollOver()
        await world.clock.elapse(after)
        const { dials } = world.network
        expect(await context.scope.close()).toMatchObject({ clean: true })
        expect([world.network.dials, world.network.sockets.size]).toEqual([dials, 0])
        expect(context.connections).toMatchObject([{ how: 'closed' }])
      }),
  )

  it('ends alone, while its scope goes on', () =>
    onLink(async ({ world, context, open }) => {
      const link = await open(closeStream)
      await context.scope.end(link)
      expect([context.scope.state, link.status.phase, world.network.sockets.size]).toEqual([
        'live',
        'closed',
        0,
      ])
      expect(context.connections).toMatchObject([{ how: 'closed' }])
    }))
})
