import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import type * as endwell from '../../src/index.ts'
import type { Line } from '../../src/parts/index.ts'
import type * as twilio from '../../src/lines/twilio/index.ts'
import type { Platform, Wire } from '../../src/lines/websocket/client/wire.ts'
import type * as websocket from '../../src/lines/websocket/index.ts'
import { wsNetwork } from '../../src/link/index.ts'
import { systemClock, type Clock } from '../../src/scope/index.ts'
import type * as testing from '../../src/testing/index.ts'
import type * as servers from '../../src/testing/servers/index.ts'
import { FastClock } from '../fast-clock.ts'
import type { Trace } from './trace.ts'

/** A call over a real socket: the caller says something, hears the answer, and the session is closed. */
export interface Scene {
  /** Says something, and resolves when the answer was heard to its end. */
  utter(): Promise<unknown>
  /** Closes the session. */
  close(): Promise<unknown>
  /** Removes what the scene opened around the session. */
  strike(): Promise<unknown>
}

export const scenes = {
  browser: (trace: Trace) => fromBrowser(trace, false),
  realtime: (trace: Trace) => fromBrowser(trace, true),
  phone: fromPhone,
}

const words = 'When do you open?'

/** Starts a session on the line of a call that comes in. */
async function answerer(trace: Trace, realtime = false, clock: Clock = systemClock) {
  const { Agent, Session } = await trace.load<typeof endwell>('index.js')
  const parts = await trace.load<typeof testing>('testing/index.js')
  const models = realtime
    ? { realtime: new parts.ScriptedRealtime({ answers: ['At eight.', 'At eight.'], speed: Infinity }) }
    : {
        llm: new parts.ScriptedLlm({ answers: ['At eight.', 'At eight.'] }),
        stt: new parts.ScriptedStt({ finalOn: 'flush' }),
        tts: new parts.ScriptedTts(),
        vad: new parts.ScriptedVad(),
      }
  let started: (session: endwell.Session) => void
  const session = new Promise<endwell.Session>((resolve) => (started = resolve))
  const onCall = async (line: Line): Promise<void> => {
    const made = new Session({
      agent: new Agent({ instructions: 'You answer the phone.' }),
      models,
      line,
      clock,
      ...(realtime ? {} : { turns: { endpointing: { delay: 0 } } }),
    })
    await made.start()
    started(made)
  }
  const { samples } = parts.soundOf(words, 16_000, 60)
  return { onCall, session, samples, models }
}

/** Waits for the end of the next speech, again and again with one listener. */
function spokenBy(session: endwell.Session): () => Promise<void> {
  let spoken: (() => void) | undefined
  session.on('spoken', () => spoken?.())
  return () => new Promise((resolve) => (spoken = resolve))
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function fromBrowser(trace: Trace, realtime: boolean): Promise<Scene> {
  const { Scope } = await trace.load<typeof endwell>('index.js')
  const { WebSocketCalls } = await trace.load<typeof websocket>('lines/websocket/index.js')
  const { onCall, session, samples } = await answerer(trace, realtime)
  const scope = new Scope('server')
  const calls = new WebSocketCalls({ scope, onCall })
  const server = createServer()
  server.on('upgrade', (request, socket, head) => calls.upgrade(request, socket, head))
  const [wire, live] = await Promise.all([aPage(trace, await listen(server)), session])
  const spoken = spokenBy(live)
  return {
    utter: async () => {
      const answered = spoken()
      for (let at = 0; at < samples.length; at += 320) wire.sendSound(samples.slice(at, at + 320))
      for (let frame = 0; frame < 40; frame++) wire.sendSound(new Int16Array(320))
      await answered
    },
    close: () => live.close(),
    strike: async () => {
      await scope.close()
      server.close()
    },
  }
}

/** The page's end of a call, once the call is answered. It plays sound 20 ms after receiving it, and reports that. */
async function aPage(trace: Trace, port: number): Promise<Wire> {
  const client = await trace.load<{ Wire: typeof Wire }>('lines/websocket/client/wire.js')
  const platform: Platform = {
    connect: (url, protocols, events) => {
      const headers = { origin: `http://localhost:${port}` }
      const socket = wsNetwork.dial(
        { name: 'page', url, protocols, headers },
        {
          opened: () => {},
          message: (data) => events.message(typeof data === 'string' ? data : Uint8Array.from(data).buffer),
          ended: ({ code = 1006, reason = '' }) => events.ended(code, reason),
        },
      )
      return {
        send: (data) => socket.send(typeof data === 'string' ? data : new Uint8Array(data)),
        close: (code, reason) => socket.close(code, reason),
      }
    },
    after: (ms, callback) => {
      const timer = systemClock.after(ms, 'page', callback)
      return () => timer.clear()
    },
    random: () => 0.5,
  }
  const later = (play: () => void): void => void systemClock.after(20, 'page plays', play)
  return new Promise((resolve) => {
    const wire: Wire = new client.Wire(
      platform,
      { url: `ws://127.0.0.1:${port}/call` },
      {
        joined: () => {
          wire.ready({ sound: true })
          resolve(wire)
        },
        // Like a page: plays what it received last, and then returns the marks that follow.
        sound: (position, samples) =>
          later(() => wire.send({ type: 'played', at: position + samples.length })),
        mark: (id, at) => later(() => wire.send({ type: 'marked', id, heard: at / 16 })),
        clear: () => {},
        transcript: () => {},
        rejoining: () => {},
        ended: () => {},
      },
    )
    wire.connect()
  })
}

async function fromPhone(trace: Trace): Promise<Scene> {
  const { Scope } = await trace.load<typeof endwell>('index.js')
  const { TwilioCalls } = await trace.load<typeof twilio>('lines/twilio/index.js')
  const { TwilioCarrier } = await trace.load<typeof servers>('testing/servers/index.js')
  // The carrier sends sound all the time. On the system's clock, the order of functions would depend on the machine's speed.
  const clock = new FastClock()
  const { onCall, session, models } = await answerer(trace, false, clock)
  const scope = new Scope('server', { clock })
  const carrier = await TwilioCarrier.listen({ clock, speed: 4 })
  const { authToken, accountSid } = carrier
  const calls = new TwilioCalls({ scope, authToken, accountSid, api: carrier.url, onCall })
  const server = createServer((request, response) => void calls.request(request, response))
  server.on('upgrade', (request, socket, head) => calls.upgrade(request, socket, head))
  const call = carrier.call(`http://127.0.0.1:${await listen(server)}/phone/answer`)
  const live = await session
  const spoken = spokenBy(live)
  return {
    utter: async () => {
      const answered = spoken()
      const { pushed } = models.stt!
      const whole = pushed.live + 100
      await call.says({ samples: new Int16Array(800), sampleRate: 8_000 })
      // The carrier has sent the sound. Waiting until the session has heard it keeps the order of functions the same on
      // machines of any speed.
      await carrier.until(() => pushed.live >= whole)
      // The encoded words do not survive the telephone's codec, so the scene emits them itself.
      models.vad?.starts()
      models.stt?.interim(words)
      models.vad?.stops()
      await answered
    },
    close: () => live.close(),
    strike: async () => {
      await scope.close()
      carrier.abort()
      server.close()
    },
  }
}
