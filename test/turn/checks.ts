import { sine } from '../../src/audio/index.ts'
import { turnServer, type WebRtcCallsOptions } from '../../src/lines/webrtc/index.ts'
import { systemClock } from '../../src/scope/index.ts'
import { WebRtcStage } from '../lines/webrtc-fixture.ts'
import type { WeriftClientOptions } from '../lines/werift-client.ts'
import { within } from '../phone/within.ts'
import type { Coturn } from './coturn.ts'

/** A check, and what went wrong. */
export interface Check {
  readonly what: string
  readonly problem: string | undefined
}

/** How long a client may take to connect, and sound to arrive, in milliseconds. */
const PATIENCE = 10_000

/** A port of this machine at which nothing answers. */
const nowhere = 'turn:127.0.0.1:9?transport=udp'

interface Way {
  readonly server?: Partial<WebRtcCallsOptions>
  readonly client?: Partial<WeriftClientOptions>
}

/** Makes a call with sound both ways. Returns how long its offer took, or throws. */
async function call({ server = {}, client: options = {} }: Way): Promise<number> {
  const stage = await WebRtcStage.open(server)
  try {
    const client = stage.client(options)
    const began = systemClock.now()
    const { status, body } = await client.offers()
    if (status !== 200) throw new Error(`the offer was answered with ${status}, ${String(body['code'])}`)
    const took = systemClock.now() - began
    const connected = stage.until(() => stage.answered.length > 0)
    if (!(await within(PATIENCE, 'the client connects', connected))) throw new Error('it does not connect')
    const [{ connection, frames }] = stage.answered as [(typeof stage.answered)[number]]
    connection.play(sine(440, { sampleRate: 24_000, duration: 400 }))
    client.speaks(400)
    const heard = Promise.all([
      client.until(() => client.audible > 200),
      stage.until(() => frames.length > 8),
    ])
    if (!(await within(PATIENCE, 'both hear each other', heard))) throw new Error('there is no sound')
    return took
  } finally {
    await stage.close()
  }
}

/** What must work without a TURN server. */
export const plainChecks: Readonly<Record<string, () => Promise<void>>> = {
  'a call over IPv6': async () => {
    await call({ server: { addresses: ['::1'] }, client: { address: '::1' } })
  },
  'a call of a server whose TURN server does not answer, within 5 s': async () => {
    const took = await call({ server: { ownIceServers: [turnServer({ urls: nowhere, secret: 'north' })] } })
    if (took > 5_000) throw new Error(`the offer took ${Math.round(took)} ms`)
  },
}

/** What must work with a TURN server. */
export const turnChecks: Readonly<Record<string, (coturn: Coturn) => Promise<void>>> = {
  'a call of a client that sends only through TURN, with credentials that expire': async (coturn) => {
    const before = coturn.allocations
    const ice = [turnServer({ urls: coturn.url, secret: coturn.secret })]
    await call({ client: { ice, relayOnly: true } })
    if (coturn.allocations === before) throw new Error('nothing was relayed')
  },
  'no relay for credentials that have expired': async (coturn) => {
    const now = systemClock.date() - 7_200_000
    const ice = [turnServer({ urls: coturn.url, secret: coturn.secret, now })]
    const outcome = await call({ client: { ice, relayOnly: true } }).then(
      () => 'it connects',
      () => 'it does not connect',
    )
    if (outcome === 'it connects' || coturn.refused === 0) throw new Error(outcome)
  },
  'a call of a server that has a relayed address, too': async (coturn) => {
    const before = coturn.allocations
    const ownIceServers = [turnServer({ urls: coturn.url, secret: coturn.secret })]
    await call({ server: { ownIceServers } })
    if (coturn.allocations === before) throw new Error('nothing was relayed')
  },
}

/** Runs a check. */
export async function check(what: string, run: () => Promise<void>): Promise<Check> {
  try {
    await run()
    return { what, problem: undefined }
  } catch (error) {
    return { what, problem: error instanceof Error ? error.message : String(error) }
  }
}
