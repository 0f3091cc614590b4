import type { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { sine } from '../../src/audio/index.ts'
import type { WebRtcCallsOptions } from '../../src/lines/webrtc/index.ts'
import { limits } from '../../src/lines/webrtc/limits.ts'
import { systemClock } from '../../src/scope/index.ts'
import { runningThreads } from '../compiled-thread.ts'
import { UdpProxy } from './udp-proxy.ts'
import { WebRtcStage } from './webrtc-fixture.ts'
import { codeOf, localOrigin } from './werift-client.ts'

const secret = 'a secret of sixteen'

let stage: WebRtcStage
afterEach(() => stage.close())

const open = async (options: Partial<WebRtcCallsOptions> = {}): Promise<void> => {
  stage = await WebRtcStage.open(options)
}

const webRtcThreads = (): Worker[] =>
  [...runningThreads].flatMap(([worker, file]) => (file === 'webrtc-thread' ? [worker] : []))

const threads = (): number => webRtcThreads().length

describe('a call over WebRTC, over real UDP', () => {
  it('[WR3] [WR4] [WR5] [WR6] carries sound and messages both ways until the client closes its data channel', async () => {
    await open()
    const { client, call } = await stage.call()
    client.speaks(500)
    call.connection.play(sine(440, { sampleRate: 24_000, duration: 600 }))
    call.connection.mark(1)
    await stage.until(() => call.emitted.includes('marked 1 600 assumed'))
    await client.until(() => client.audible > 550)
    // Each sound fades a little in the codec, also at gaps that a busy machine makes. Sound that is sent twice would be 1,200.
    expect(client.audible).toBeLessThan(900)
    client.says('send-text', { content: 'hello' })
    await stage.until(() => call.emitted.includes('text hello'))
    // 25 packets, each of which was heard once.
    const heard = (): number[] => call.frames.flatMap(({ samples }) => [...samples])
    await stage.until(() => heard().length >= 480 * 16)
    expect(heard().length).toBeLessThanOrEqual(500 * 16)
    expect(heard().filter((sample) => Math.abs(sample) > 500).length / heard().length).toBeGreaterThan(0.8)
    // Silence is not sent.
    const packets = client.heard.length
    call.connection.play({ samples: new Int16Array(24_000), sampleRate: 24_000 })
    call.connection.mark(2)
    await stage.until(() => call.emitted.includes('marked 2 1000 assumed'))
    expect(client.heard.length - packets).toBeLessThan(25)
    client.leaves()
    await stage.until(() => call.emitted.includes('hung up'))
    await call.context.scope.close()
    expect(call.context.connections).toMatchObject([
      { name: 'webrtc', how: 'closed', reason: 'the client closed its data channel' },
    ])
    await stage.untilThreads(0)
  })

  it('[WR5] ends for a client whose tab was closed when its pings stop, and the client counts as lost', async () => {
    await open({ lostTimeout: 1_500 })
    const { client, call } = await stage.call()
    client.pings(400)
    await client.until(() => client.sentPings > 5)
    expect(call.emitted).toEqual([])
    const goneAt = systemClock.now()
    await client.vanishes()
    await stage.until(() => call.emitted.includes('lost'))
    expect(systemClock.now() - goneAt).toBeGreaterThan(900)
    await call.context.scope.close()
    expect(call.context.connections).toMatchObject([{ how: 'dropped' }])
  })

  it('[WR5] that is ended here tells the client that the agent has left, which disconnects by itself', async () => {
    await open()
    const { client, call } = await stage.call()
    const report = await call.context.scope.close()
    expect([report.clean, call.emitted]).toEqual([true, []])
    expect(client.messages.map(({ type }) => type)).toContain('peerLeft')
    expect(call.context.connections).toMatchObject([{ how: 'closed' }])
  })

  it('[WR6] is lost with the reason if its thread dies, and the next call starts another thread', async () => {
    await open()
    const { call } = await stage.call()
    for (const worker of webRtcThreads()) worker.postMessage({ type: 'exit' }, [])
    await stage.until(() => call.emitted.includes('lost WORKER_DIED'))
    expect(stage.calls.size).toBe(0)
    const { call: next } = await stage.call()
    expect(next.emitted).toEqual([])
  })

  it('[WR6] is cut with its thread when everything is aborted', async () => {
    await open()
    const { call } = await stage.call()
    stage.scope.abort()
    expect(call.emitted).toEqual(['lost CALLS_CLOSED'])
    await stage.untilThreads(0)
  })
})

describe('a call over a bad network', () => {
  let proxy: UdpProxy
  const detour = async (port: number): Promise<number> => {
    proxy = await UdpProxy.open(port)
    return proxy.port
  }
  afterEach(() => proxy.close())

  it('[WR1] [WR2] [WR5] is heard in full length if packets are lost and reordered, and is lost if none arrive any more', async () => {
    await open({ lostTimeout: 1_500 })
    const { client, call } = await stage.call({ detour })
    client.pings(200)
    proxy.weather = { loss: 0.05, delay: 40 }
    client.speaks(2_000)
    const heard = (): number => call.frames.reduce((sum, { samples }) => sum + samples.length / 16, 0)
    await client.until(() => client.sentPackets === 100)
    // The last packets may be lost, which nothing that follows shows.
    await stage.until(() => heard() >= 1_800)
    await client.until(() => client.sentPings > 14)
    expect(heard()).toBeLessThanOrEqual(2_000)
    expect(proxy.lost).toBeGreaterThan(0)
    expect(call.emitted).toEqual([])
    proxy.weather = { loss: 1 }
    await stage.until(() => call.emitted.includes('lost'))
    await call.context.scope.close()
    expect(call.context.connections).toMatchObject([{ name: 'webrtc', how: 'dropped' }])
  })
})

describe('an offer', () => {
  it('[WR3] that names a connection is refused: an unknown one is gone, and a call cannot be joined again', async () => {
    await open()
    const { client, call } = await stage.call()
    const again = { sdp: 'v=0', type: 'offer', restart_pc: true }
    expect(codeOf(await client.sends('POST', { ...again, pc_id: client.pcId }))).toBe('409 REJOIN_REFUSED')
    expect(codeOf(await client.sends('POST', { ...again, pc_id: 'unknown' }))).toBe('404 CALL_GONE')
    const candidates = { candidates: [{ candidate: '', sdp_mid: '0', sdp_mline_index: 0 }] }
    expect((await client.sends('PATCH', { ...candidates, pc_id: client.pcId })).status).toBe(200)
    client.leaves()
    await stage.until(() => call.emitted.includes('hung up'))
    expect(codeOf(await client.sends('PATCH', { ...candidates, pc_id: client.pcId }))).toBe('404 CALL_GONE')
    expect(codeOf(await client.sends('POST', { ...again, pc_id: client.pcId }))).toBe('404 CALL_GONE')
  })

  it('[WR3] that is malformed, too long, or has no sound is refused, and harms nothing', async () => {
    await open()
    const client = stage.client()
    for (const body of ['no JSON', '[]', { type: 'offer' }, { sdp: 'v=0', type: 'answer' }])
      expect(codeOf(await client.sends('POST', body))).toBe('400 BAD_REQUEST')
    expect(codeOf(await client.sends('PATCH', { pc_id: 'x', candidates: 'y' }))).toBe('400 BAD_REQUEST')
    const offer = { sdp: 'v=0\r\nnonsense', type: 'offer', pc_id: null }
    expect(codeOf(await client.sends('POST', offer))).toBe('400 OFFER_INVALID')
    const long = { ...offer, sdp: 'x'.repeat(limits.body) }
    expect(codeOf(await client.sends('POST', long))).toBe('413 TOO_LARGE')
    const sections = { ...offer, sdp: 'm=audio 9 UDP/TLS/RTP/SAVPF 111\r\n'.repeat(limits.sections + 1) }
    expect(codeOf(await client.sends('POST', sections))).toBe('400 BAD_REQUEST')
    expect((await fetch(`${stage.url}/api/offer`, { headers: { origin: localOrigin } })).status).toBe(405)
    await stage.untilThreads(0)
    expect(stage.calls.arriving).toBe(0)
  })

  it('[WR3] needs a token or the secret, and a token is good once', async () => {
    await open({ secret, iceServers: [{ urls: 'stun:stun.example.com' }] })
    expect(codeOf(await stage.client().offers())).toBe('401 UNAUTHORISED')
    const wrong = { authorization: 'Bearer another secret' }
    expect(codeOf(await stage.client({ headers: wrong }).offers())).toBe('401 WRONG_SECRET')
    const started = await stage.calls.start({
      headers: { host: new URL(stage.url).host },
      data: { name: 'Ada' },
    })
    if ('refused' in started) throw new Error(started.refused)
    const { webrtcRequestParams, iceConfig } = started.connection as Readonly<
      Record<string, { endpoint: string }>
    >
    expect(iceConfig).toEqual({ iceServers: [{ urls: 'stun:stun.example.com' }] })
    const { endpoint: url } = webrtcRequestParams!
    const client = stage.client({ url })
    expect((await client.offers()).status).toBe(200)
    await stage.until(() => stage.answered.length === 1)
    expect(stage.answered[0]!.info).toMatchObject({
      id: client.pcId,
      data: { name: 'Ada' },
      origin: localOrigin,
    })
    expect(codeOf(await stage.client({ url }).offers())).toBe('401 TOKEN_USED')
  })

  it('[WR3] from another page than those that may call is refused, and others may read the answer', async () => {
    await open()
    const foreign = stage.client({ headers: { origin: 'https://shop.example' } })
    expect(codeOf(await foreign.offers())).toBe('403 ORIGIN_REFUSED')
    const preflight = await fetch(`${stage.url}/api/offer`, {
      method: 'OPTIONS',
      headers: { origin: localOrigin },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'POST, PATCH, DELETE',
    ])
  })

  it('[WR3] [LN12] takes a place before its client has connected, and gives it back if the client never does', async () => {
    await open({ maxCalls: 1, connectTimeout: 1_000 })
    // Its candidates do not arrive, and it does not send to those that it gets.
    const client = stage.client()
    await client.pc.setLocalDescription(await client.pc.createOffer())
    const offer = { type: 'offer', sdp: client.pc.localDescription!.sdp, pc_id: null, restart_pc: false }
    const { status, body } = await client.sends('POST', offer)
    expect([status, stage.calls.arriving, stage.calls.size]).toEqual([200, 1, 0])
    expect(body['sdp']).toContain('127.0.0.1')
    expect(codeOf(await client.sends('POST', offer))).toBe('429 BUSY')
    await stage.until(() => stage.calls.arriving === 0)
    await stage.untilThreads(0)
    expect(stage.answered).toEqual([])
    stage.calls.stopTaking()
    expect(codeOf(await client.sends('POST', offer))).toBe('503 CLOSING')
  })

  it('[LN17] [LN12] gives its place back at once if its client withdraws it, which has no effect on a call', async () => {
    await open({ maxCalls: 1 })
    const client = stage.client()
    await client.pc.setLocalDescription(await client.pc.createOffer())
    const sdp = client.pc.localDescription!.sdp
    const { body } = await client.sends('POST', { type: 'offer', sdp, pc_id: null, restart_pc: false })
    expect(stage.calls.arriving).toBe(1)
    expect(codeOf(await client.sends('DELETE', { pc_id: 7 }))).toBe('400 BAD_REQUEST')
    expect((await client.sends('DELETE', { pc_id: body['pc_id'] })).status).toBe(200)
    await stage.until(() => stage.calls.arriving === 0)
    const { client: other, call } = await stage.call()
    expect(codeOf(await other.sends('DELETE', { pc_id: other.pcId }))).toBe('404 CALL_GONE')
    expect([stage.calls.size, call.emitted]).toEqual([1, []])
  })

  it('[WR3] [LN12] takes a place while the ICE servers of this server are listed', async () => {
    let list: (servers: []) => void = () => {}
    let ask: () => void = () => {}
    const asked = new Promise<void>((resolve) => (ask = resolve))
    await open({
      maxCalls: 1,
      ownIceServers: () => {
        ask()
        return new Promise<[]>((settle) => (list = settle))
      },
    })
    const first = stage.client().offers()
    await asked
    expect(codeOf(await stage.client().offers())).toBe('429 BUSY')
    list([])
    expect((await first).status).toBe(200)
  })

  it('[WR6] is answered by a thread that has room, and 16 fill one', async () => {
    await open()
    const client = stage.client({ video: false })
    await client.pc.setLocalDescription(await client.pc.createOffer())
    const offer = { type: 'offer', sdp: client.pc.localDescription!.sdp, pc_id: null, restart_pc: false }
    for (let i = 0; i < limits.perThread; i++) expect((await client.sends('POST', offer)).status).toBe(200)
    expect(threads()).toBe(1)
    expect((await client.sends('POST', offer)).status).toBe(200)
    expect(threads()).toBe(2)
    expect((await stage.scope.close()).clean).toBe(true)
    expect(threads()).toBe(0)
  })
})
