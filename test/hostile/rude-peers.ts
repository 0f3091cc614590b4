import { sine } from '../../src/audio/index.ts'
import { offer, type PageMessage } from '../../src/lines/websocket/protocol.ts'
import { noop, systemClock } from '../../src/scope/index.ts'
import type { SimRandom } from '../../src/testing/index.ts'
import { TwilioCarrier } from '../../src/testing/servers/index.ts'
import { postAsCarrier } from '../../src/testing/servers/twilio-post.ts'
import { streamIn } from '../lines/phone.ts'
import { RudeSocket } from './rude-socket.ts'

export interface RudePeer {
  /** Its own: what it does must not depend on what others do meanwhile. */
  readonly random: SimRandom
  readonly url: string
  readonly port: number
  readonly tell: (text: string) => void
}

/** Real time, because the sockets are real. */
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => void systemClock.after(ms, 'a pause of a rude peer', resolve))

/** Every kind of peer. Each resolves when it has done its worst; its connections may then still be open. */
export const rudePeers: Readonly<Record<string, (peer: RudePeer) => Promise<() => unknown>>> = {
  page: (peer) =>
    callsRudely(peer, async (socket) => {
      const protocols = offer(peer.random.chance(0.1) ? { token: 'stolen' } : {})
      const headers = { origin: 'http://localhost:3000', 'sec-websocket-protocol': protocols.join(', ') }
      socket.upgrades(peer.random.chance(0.9) ? '/call' : '/call?x=%ff', headers)
      return pageMessages
    }),
  stream: (peer) =>
    callsRudely(peer, async (socket) => {
      // Sometimes the name of another call.
      const sid = `CA${peer.random.int(1, 20)}`
      const { body } = await ask(peer, `CallSid=${sid}`)
      const address = streamIn(body)
      const path = address === undefined ? '/phone/stream/none' : new URL(address).pathname
      socket.upgrades(path.slice(0, peer.random.chance(0.1) ? -1 : undefined))
      return streamMessages(sid)
    }),
  carrier: (peer) => placesCalls(peer),
  http: (peer) => requestsNonsense(peer),
}

const pageMessages: readonly PageMessage[] = [
  { type: 'ready', generation: 1, sound: true },
  { type: 'text', text: 'How are you?' },
  { type: 'played', at: 80 },
  { type: 'marked', id: 1, heard: 5 },
  { type: 'dtmf', digit: '5' },
  { type: 'sound', on: false },
  { type: 'pong' },
  { type: 'ready', generation: 2, sound: true, played: 1e12, buffered: 0 },
  { type: 'hang-up' },
]

const streamMessages = (callSid: string): readonly object[] => {
  const streamSid = 'MZ1'
  const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 }
  const payload = Buffer.alloc(160, 0xff).toString('base64')
  return [
    { event: 'connected', protocol: 'Call', version: '1.0.0' },
    {
      event: 'start',
      sequenceNumber: '1',
      streamSid,
      start: {
        callSid,
        accountSid: 'AC1',
        streamSid,
        tracks: ['inbound'],
        customParameters: {},
        mediaFormat,
      },
    },
    {
      event: 'media',
      sequenceNumber: '2',
      streamSid,
      media: { track: 'inbound', chunk: '1', timestamp: '20', payload },
    },
    { event: 'mark', sequenceNumber: '3', streamSid, mark: { name: '1' } },
    { event: 'dtmf', sequenceNumber: '4', streamSid, dtmf: { track: 'inbound_track', digit: '5' } },
    { event: 'stop', sequenceNumber: '5', streamSid, stop: { callSid, accountSid: 'AC1' } },
  ]
}

/** Calls over raw sockets, one after the other, and leaves them open. `dial` returns what a caller with manners would send. */
async function callsRudely(
  { port, random, tell }: RudePeer,
  dial: (socket: RudeSocket) => Promise<readonly object[]>,
): Promise<() => void> {
  const sockets: RudeSocket[] = []
  for (let calls = random.int(1, 4); calls > 0; calls--) {
    const socket = new RudeSocket({ port, random, tell })
    sockets.push(socket)
    const messages = await dial(socket)
    // Mostly after the answer to the upgrade, and sometimes before.
    await pause(random.pick([0, 10, 20]))
    for (let step = 0, steps = random.int(1, 8); step < steps; step++) {
      socket.misbehaves(messages, step)
      await pause(random.int(0, 5))
    }
  }
  return () => sockets.forEach((socket) => socket.abort())
}

/** Places phone calls through a carrier that breaks its promises. */
async function placesCalls({ url, random, tell }: RudePeer): Promise<() => Promise<void>> {
  const carrier = await TwilioCarrier.listen({
    speed: 20,
    dialect: random.pick(['twilio', 'twilio', 'telnyx']),
  })
  const call = carrier.call(`${url}/phone/answer`, {
    statusCallback: `${url}/phone/status`,
    signs: random.pick(['rightly', 'wrongly', 'never']),
    repeats: random.pick([0, 0, 3]),
    returnsMarks: random.chance(0.7),
    leaves: random.pick(['politely', 'without-stop', 'cut', 'silently']),
  })
  const acts: Readonly<Record<string, () => unknown>> = {
    speaks: () => void call.says(sine(300, { sampleRate: 8000, duration: 200 })).catch(noop),
    presses: () => call.press(random.pick(['5', '#', 'x', ''])),
    'goes silent': () => call.goSilent(),
    freezes: () => call.freeze(),
    'half-closes': () => call.halfClose(),
    drops: () => call.drop(),
    'drops and waits': () => call.dropAndWait(),
    'joins again': () => call.joins(),
    'sends text': () =>
      call.sends(random.pick(['{', '{"event":"start"}', '{"event":"media","media":{"payload":{}}}'])),
    'sends bytes': () => call.sends(new Uint8Array(random.int(0, 500))),
    'hangs up': () => call.hangUp(random.pick(['politely', 'without-stop', 'cut', 'silently'])),
  }
  await pause(random.pick([0, 10, 30]))
  for (let steps = random.int(1, 10); steps > 0; steps--) {
    const act = random.pick(Object.keys(acts))
    tell(act)
    acts[act]!()
    await pause(random.int(0, 10))
  }
  return () => carrier.close()
}

/** Requests without manners: of the carrier's webhooks, of the host's API, and of nothing. */
async function requestsNonsense(peer: RudePeer): Promise<() => void> {
  const { port, random, tell } = peer
  const sockets: RudeSocket[] = []
  for (let requests = random.int(1, 8); requests > 0; requests--) {
    const path = random.pick([
      '/',
      '/api/sessions',
      '/api/sessions/x/close',
      '/phone/answer',
      '/phone/status',
      '//',
      '/%',
    ])
    const method = random.pick(['GET', 'POST', 'PUT', 'BREW'])
    const body = random.pick([
      '',
      '{',
      'CallSid=../../x',
      `CallSid=${'9'.repeat(5_000)}`,
      'CallSid=%',
      'x'.repeat(200_000),
    ])
    const length = random.pick([String(body.length), String(body.length + 1), '-1', 'many', '1e9'])
    const host = random.pick(['localhost', '', 'evil.example', '[', 'localhost\r\nhost: two'])
    tell(`${method} ${path}, content-length ${length}`)
    const socket = new RudeSocket({ port, random, tell })
    sockets.push(socket)
    const request = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${length}\r\n\r\n${body}`
    // Some requests end in the middle, and their connection stays open.
    socket.writes(random.chance(0.7) ? request : request.slice(0, random.int(0, 80)))
    if (random.chance(0.3)) socket.misbehaves(pageMessages, 0)
    await pause(random.int(0, 5))
  }
  return () => sockets.forEach((socket) => socket.abort())
}

/** Requests the webhook. The host may be closing, or refuse. */
function ask({ url }: RudePeer, body: string): Promise<{ readonly body: string }> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return postAsCarrier({ url: `${url}/phone/answer`, headers, body }, new AbortController().signal).catch(
    () => ({
      body: '',
    }),
  )
}
