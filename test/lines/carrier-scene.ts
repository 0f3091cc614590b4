import type { CarrierRequest } from '../../src/lines/twilio/calling.ts'
import { TwilioCalls, type PhoneCallInfo, type TwilioCallsOptions } from '../../src/lines/twilio/index.ts'
import { deafOwner, type Peer as LinePeer } from '../../src/lines/peer.ts'
import { Scope } from '../../src/scope/index.ts'
import type { Session, SessionReport } from '../../src/session/index.ts'
import { inVirtualTime, type Manners, type Peer, type World } from '../../src/testing/index.ts'
import { TwilioCarrier, type TwilioCall, type TwilioCallOptions } from '../../src/testing/servers/index.ts'
import { sessionOn, type PhoneSceneOptions } from './phone-scene.ts'

const ORIGIN = 'http://localhost:3000'

/** Our calls and the loopback carrier, connected without sockets, in virtual time. */
export interface CarrierScene extends World {
  readonly calls: TwilioCalls
  readonly scope: Scope<string>
  readonly carrier: TwilioCarrier
  readonly sessions: Session[]
  readonly infos: PhoneCallInfo[]
  readonly reports: SessionReport[]
  /** A person calls. */
  readonly call: (options?: TwilioCallOptions) => TwilioCall
  /** A person calls, and hears the greeting to its end. */
  readonly talk: (options?: TwilioCallOptions) => Promise<{ caller: TwilioCall; session: Session }>
}

export interface CarrierSceneOptions extends PhoneSceneOptions {
  readonly dialect?: 'twilio' | 'telnyx'
}

export function carrierScene(
  play: (scene: CarrierScene) => Promise<void>,
  { dialect = 'twilio', ...options }: CarrierSceneOptions = {},
): Promise<void> {
  return inVirtualTime(async (world) => {
    const { session: _, greeting: __, inWorld, ...callOptions } = options
    inWorld?.(world)
    const { clock, network, random } = world
    const scope = new Scope<string>('calls', { clock, phases: ['tasks', 'resources'], closeTimeout: 10_000 })
    const sessions: Session[] = []
    const infos: PhoneCallInfo[] = []
    const reports: SessionReport[] = []
    const carrier = new TwilioCarrier({
      authToken: 'token',
      dialect,
      clock,
      random,
      dial: (request, events) => network.dial(request, events),
      post: async ({ url, headers, body }) => {
        await Promise.resolve()
        return await calls.decide(requestOf('POST', url, headers, body))
      },
    })
    const callsOptions: TwilioCallsOptions = {
      scope,
      carrier: dialect,
      authToken: carrier.authToken,
      accountSid: carrier.accountSid,
      ...(dialect === 'telnyx' ? { publicKey: carrier.publicKey } : {}),
      publicUrl: ORIGIN,
      fetch: carrier.fetch,
      onCall: (line, info) => {
        const session = sessionOn(line, info.id, world, options)
        sessions.push(session)
        infos.push(info)
        session.on('closed', (report) => reports.push(report))
        return session.start()
      },
      ...callOptions,
    }
    const calls = new TwilioCalls(callsOptions)
    network.serve = ({ url, headers = {} }) => serve(calls, url, headers)
    const call = (callerOptions?: TwilioCallOptions): TwilioCall =>
      carrier.call(`${ORIGIN}/phone/answer`, callerOptions)
    const talk = async (callerOptions?: TwilioCallOptions) => {
      const caller = call(callerOptions)
      await caller.listens(200)
      return { caller, session: sessions.at(-1)! }
    }
    try {
      await play({ ...world, calls, scope, carrier, sessions, infos, reports, call, talk })
    } finally {
      for (const each of sessions) await each.close()
      await scope.close()
      await carrier.close()
    }
  })
}

function requestOf(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): CarrierRequest {
  const { pathname, search, host } = new URL(url)
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return { method, url: pathname + search, headers: { host, ...lower }, address: '127.0.0.1', body }
}

/** The server's side of a stream. */
function serve(calls: TwilioCalls, url: string, headers: Readonly<Record<string, string>>): Manners {
  const { accept } = calls.admit(requestOf('GET', url, headers))
  if (!accept) return { refuse: 403 }
  let line: LinePeer | undefined
  return {
    opened: (peer) => accept((line = linePeerOn(peer))),
    message: (_, data) => line?.owner.message(data),
    // Never from inside a call to the peer.
    ended: () => queueMicrotask(() => line?.owner.left({ how: 'closed', code: 1000, reason: '' })),
  }
}

function linePeerOn(peer: Peer): LinePeer {
  return {
    owner: deafOwner(() => {}),
    buffered: 0,
    send: (data) => peer.send(data),
    ping: () => peer.ping(),
    close: (code, reason) => peer.close(code, reason),
    abort: () => peer.drop(),
  }
}
