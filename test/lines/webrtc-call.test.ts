import { describe, expect, it } from 'vitest'
import { WebRtcCalls, turnServer, type WebRtcCallsOptions } from '../../src/lines/webrtc/index.ts'
import { limits } from '../../src/lines/webrtc/limits.ts'
import { readCandidates, readOffer } from '../../src/lines/webrtc/read-signal.ts'
import { Scope } from '../../src/scope/index.ts'
import { inVirtualTime, type SimClock } from '../../src/testing/index.ts'
import { dialWebRtc } from './client-lines.ts'
import { RtviTestClient, dataChannel, type ClientOptions } from './rtvi-client.ts'
import { answerByHand, localPage, type AnsweredRtvi } from './rtvi-fixture.ts'
import { SimWires } from './sim-wires.ts'

interface Scene {
  readonly clock: SimClock
  readonly calls: WebRtcCalls
  readonly wires: SimWires
  readonly call: (options?: ClientOptions) => Promise<{ client: RtviTestClient; call: AnsweredRtvi }>
}

/** Plays a scene with simulated clients in virtual time. Their connections are as a thread would have them. */
const scene = (
  play: (scene: Scene) => Promise<void>,
  options: Partial<WebRtcCallsOptions> = {},
): Promise<void> =>
  inVirtualTime(async (world) => {
    const scope = new Scope<string>('calls', { clock: world.clock, phases: ['tasks', 'resources'] })
    const answered: AnsweredRtvi[] = []
    const calls = new WebRtcCalls({
      scope,
      onCall: async (line, info) => answered.push(await answerByHand(world, line, info)),
      ...options,
    })
    const wires = new SimWires(
      world,
      dialWebRtc(() => calls),
    )
    const call: Scene['call'] = async (clientOptions) => {
      const started = await calls.start({ headers: localPage.headers, data: undefined })
      if ('refused' in started) throw new Error(started.refused)
      const { endpoint } = (started.connection as { webrtcRequestParams: { endpoint: string } })
        .webrtcRequestParams
      const client = new RtviTestClient(world.clock, wires, endpoint, {
        carrier: dataChannel,
        ...clientOptions,
      })
      await world.clock.elapse(10)
      return { client, call: answered.at(-1)! }
    }
    try {
      await play({ clock: world.clock, calls, wires, call })
    } finally {
      for (const { context } of answered) await context.scope.close()
      await scope.close()
    }
  })

describe('the end of a call over WebRTC', () => {
  it('[WR5] is a loss 3 s after the last ping, and not before, if nothing else comes', () =>
    scene(async ({ clock, call: calls, wires }) => {
      const { client, call } = await calls()
      await clock.elapse(60_000)
      expect(call.emitted).toEqual([])
      wires.vanish()
      client.freezes()
      await clock.elapse(1_900)
      expect(call.emitted).toEqual([])
      await clock.elapse(1_200)
      expect(call.emitted).toEqual(['lost'])
    }))

  it('[WR5] is a loss if the connection fails, and a hang-up if the client closes it', () =>
    scene(async ({ clock, call: calls, wires }) => {
      const one = await calls()
      wires.cut()
      await clock.elapse(2)
      expect(one.call.emitted).toEqual(['lost'])
      const two = await calls()
      two.client.leaves()
      await clock.elapse(2)
      expect(two.call.emitted).toEqual(['hung up'])
    }))

  it('[WR5] is a loss if the client never becomes ready, though it sends sound', () =>
    scene(async ({ clock, call: calls }) => {
      const { client, call } = await calls({ readyAfter: 'never' })
      client.speaks(5_000)
      await clock.elapse(2_900)
      expect(call.emitted).toEqual([])
      await clock.elapse(200)
      expect(call.emitted).toEqual(['lost'])
    }))

  it('[WR5] is told to the client, without an error, and a client that stays is closed', () =>
    scene(async ({ clock, call: calls }) => {
      const one = await calls()
      await one.call.context.scope.close()
      expect(one.client.messages.map(({ type }) => type)).toEqual(['bot-ready', 'peerLeft'])
      const two = await calls({ obeys: false })
      const began = clock.now()
      expect((await two.call.context.scope.close()).clean).toBe(true)
      expect(clock.now() - began).toBeGreaterThanOrEqual(limits.farewell)
      expect(two.client.end?.code).toBe(1000)
    }))

  it('[WR5] is told to a client that is not ready before its connection is closed, which it would not notice', () =>
    scene(async ({ clock, calls: all, call: calls }) => {
      const one = await calls({ readyAfter: 'never' })
      const began = clock.now()
      await one.call.context.scope.close()
      expect(clock.now() - began).toBeGreaterThanOrEqual(limits.farewell)
      const two = await calls({ readyAfter: 'never' })
      await all.scope.close()
      for (const { client } of [one, two])
        expect(client.messages.map(({ type }) => type)).toEqual(['peerLeft'])
    }))

  it('[WR5] [RV1] says that the agent could not take a call that nobody answers', () =>
    scene(
      async ({ clock, call: calls }) => {
        const { client } = await calls()
        await clock.elapse(100)
        expect(client.all('error')).toEqual([{ error: 'The agent could not take the call.', fatal: true }])
        expect(client.end).toBeDefined()
      },
      {
        onCall: () => {
          throw new Error('no')
        },
      },
    ))

  it('[LN7] [WR3] is a loss with an error if the client sends too much, or a message that is too long', () =>
    scene(async ({ clock, call: calls }) => {
      const one = await calls()
      one.client.sendBytes('x'.repeat(limits.message + 1))
      const two = await calls()
      for (let i = 0; i <= limits.messages.burst; i++) two.client.sendBytes('ping: 1')
      await clock.elapse(5)
      expect([one.call.emitted, two.call.emitted]).toEqual([
        ['lost CLIENT_MISBEHAVED'],
        ['lost CLIENT_MISBEHAVED'],
      ])
    }))
})

describe('sound over WebRTC', () => {
  it('[WR4] is sent at most 100 ms ahead, and after a clear nothing more', () =>
    scene(async ({ clock, call: calls }) => {
      const { client, call } = await calls()
      call.say('Bright Dental, good morning! How can I help you?', 1)
      await clock.elapse(500)
      const sent = client.arrived.reduce((sum, { ms }) => sum + ms, 0)
      expect(sent).toBeLessThanOrEqual(500 + limits.ahead + limits.piece)
      call.connection.clear()
      await clock.elapse(1_000)
      expect(client.arrived.reduce((sum, { ms }) => sum + ms, 0)).toBeLessThanOrEqual(sent + limits.piece)
      const heard = Number(call.emitted[0]!.split(' ')[2])
      expect(call.emitted).toEqual([`marked 1 ${heard} assumed`])
      expect(Math.abs(heard - sent)).toBeLessThanOrEqual(limits.piece)
    }))
})

describe('what a WebRTC client has heard', () => {
  it('[WR4] does not grow while the client gives no sign of life', () =>
    scene(async ({ clock, call: calls, wires }) => {
      const { client, call } = await calls()
      call.say('Bright Dental, good morning! How can I help you? '.repeat(4), 1)
      await clock.elapse(2_000)
      wires.vanish()
      client.freezes()
      await clock.elapse(4_000)
      expect(call.emitted.at(-1)).toBe('lost')
      const heard = Number(call.emitted[0]!.split(' ')[2])
      // The last ping came up to a second before.
      expect(heard).toBeGreaterThan(1_500)
      expect(heard).toBeLessThanOrEqual(2_000 + limits.quiet)
    }))
})

describe('what our own page has heard over WebRTC', () => {
  it('[LN17] lags by the time that sound waits in the page, as its pings say, within a limit', () =>
    scene(async ({ clock, call: calls }) => {
      const heardAfter = async (ping: string): Promise<number> => {
        const { client, call } = await calls()
        client.sendBytes(ping)
        call.say('Bright Dental, good morning! How can I help you?', 1)
        await clock.elapse(500)
        client.sendBytes(ping)
        await clock.elapse(400)
        call.connection.clear()
        await clock.elapse(20)
        client.leaves()
        await clock.elapse(20)
        return Number(call.emitted[0]!.split(' ')[2])
      }
      const heard = await heardAfter('ping: 1')
      expect(heard - (await heardAfter('ping: 1 300'))).toBe(300)
      expect(await heardAfter('ping: 1 99999')).toBe(0)
      expect(await heardAfter('ping: 1 ?')).toBe(heard)
    }))
})

describe('requests of clients', () => {
  it('[WR3] are read as Pipecat writes them', () => {
    const offer = { sdp: 'v=0', type: 'offer', pc_id: null, restart_pc: false, requestData: { a: 1 } }
    expect(readOffer(JSON.stringify(offer))).toEqual({ sdp: 'v=0', pcId: undefined, data: { a: 1 } })
    const candidates = [
      { candidate: 'candidate:1 1 udp 1 127.0.0.1 9 typ host', sdp_mid: '0', sdp_mline_index: 0 },
    ]
    expect(readCandidates(JSON.stringify({ pc_id: 'x', candidates }))).toEqual({
      pcId: 'x',
      candidates: [{ candidate: candidates[0]!.candidate, sdpMid: '0', sdpMLineIndex: 0 }],
    })
    for (const wrong of [{}, { candidate: 1 }, { candidate: 'x'.repeat(2_000) }, 'x'])
      expect(readCandidates(JSON.stringify({ pc_id: 'x', candidates: [wrong] }))).toBeUndefined()
  })
})

describe('options of WebRtcCalls', () => {
  it.each([
    [{ addresses: [] }, 'addresses must be IP addresses'],
    [{ addresses: ['agent.example.com'] }, "not 'agent.example.com'"],
    [{ ports: [5_000, 4_000] }, 'ports must be two ports'],
    [{ connectTimeout: 0 }, 'connectTimeout must be'],
    [{ startPath: '/same', offerPath: '/same' }, 'startPath and offerPath must differ'],
  ] as const)('[WR3] that cannot work are refused: %o', (options, problem) =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope<string>('calls', { clock })
      const make = (): WebRtcCalls => new WebRtcCalls({ scope, onCall: () => {}, ...options })
      expect(make).toThrow(problem)
      await scope.close()
    }),
  )

  it('[WR3] can have a TURN server with credentials that expire', () => {
    const server = turnServer({
      urls: 'turn:turn.example.com',
      secret: 'north',
      lifetime: 60_000,
      now: 1_000_000,
    })
    // As `openssl dgst -sha1 -hmac north -binary | base64` computes it.
    expect(server).toEqual({
      urls: 'turn:turn.example.com',
      username: '1060:endwell',
      credential: 'i9hzBChbmR/AwfzR78hZG3BttPE=',
    })
  })
})
