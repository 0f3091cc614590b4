import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { frameOf, level, pcm, sine, bytesOf } from '../../src/audio/index.ts'
import { WebRtcCalls } from '../../src/lines/webrtc/index.ts'
import { OpusEncoder } from '../../src/lines/webrtc/opus.ts'
import { wsNetwork } from '../../src/link/index.ts'
import type { SpokenChunk, Stt, Tts } from '../../src/parts/index.ts'
import { LocalVad } from '../../src/providers/local/index.ts'
import { Scope, systemClock } from '../../src/scope/index.ts'
import { Agent, Session, type Models } from '../../src/session/index.ts'
import { WeriftClient } from '../../test/lines/werift-client.ts'
import type { Measure } from '../bench.ts'
import { talk } from '../calls/serve-calls.ts'
import { llm, stt, tts } from '../calls/stubs.ts'
import { median } from '../median.ts'
import { sample, type Server } from './load.ts'

const agent = new Agent({ instructions: 'You answer the phone.' })
/** What the caller says is transcribed, but never interrupts the agent. */
const turns = { bargeIn: { minWords: 1_000 } }
const beeps = 30

interface Calls extends Server {
  readonly sessions: ReadonlySet<Session>
  left(): number
}

/** Answers calls, each with its own session. */
async function serve(answered: (session: Session) => void, models: () => Models): Promise<Calls> {
  const scope = new Scope<string>('bench')
  const sessions = new Set<Session>()
  const calls = new WebRtcCalls({
    scope,
    maxRate: 1_000,
    onCall: async (line) => {
      const session = new Session({ agent, models: models(), line, turns })
      sessions.add(session)
      session.on('closed', () => void sessions.delete(session))
      await session.start()
      answered(session)
    },
  })
  const server = createServer((request, response) => void calls.request(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const threads = (): number => (calls.inspect() as { threads: number }).threads
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/offer`,
    sessions,
    left: () => sessions.size + calls.size + threads() + wsNetwork.sockets.size + systemClock.timers.size,
    close: async () => {
      await scope.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

export const measure: Measure = async () => {
  const sound = await soundDelay()
  const calls = await serve(talk, () => ({ llm, tts, stt, vad: new LocalVad() }))
  let left = 0
  const figures = await sample(calls, async () => {
    const took: number[] = []
    for (const session of calls.sessions) {
      const began = performance.now()
      await session.close()
      took.push(performance.now() - began)
    }
    return { close: median(took) }
  })
  left = calls.left()
  return { ...figures, sound, left }
}

/** Milliseconds from a packet of a client to the STT, plus from the TTS to the client: the sum of both medians. */
async function soundDelay(): Promise<number> {
  let hears: () => void = () => {}
  let spoke = 0
  const hearing: Stt = {
    name: 'stt',
    hears: [pcm(16_000)],
    // Beeps make no turns.
    endsTurns: true,
    open: async () => ({
      push: ({ samples }) => {
        if (level(samples) > -40) hears()
      },
      flush() {},
      configure() {},
      detach() {},
    }),
  }
  const beep = bytesOf(sine(300, { sampleRate: 24_000, duration: 60 }), pcm(24_000))
  const speaking: Tts = {
    name: 'tts',
    speaks: [pcm(24_000)],
    open: async () => ({
      async *speak(text): AsyncGenerator<SpokenChunk> {
        for await (const _ of text) {
          spoke = performance.now()
          yield { frame: frameOf(beep.slice(), pcm(24_000)) }
        }
      },
    }),
  }
  let began: (session: Session) => void = () => {}
  const talking = new Promise<Session>((resolve) => (began = resolve))
  const server = await serve(began, () => ({ llm, stt: hearing, tts: speaking }))
  const client = new WeriftClient({ url: server.url })
  await client.offers()
  const session = await talking
  const encoder = new OpusEncoder(24_000)
  const loud = sine(300, { sampleRate: 24_000, duration: 20 }).samples
  const [there, back]: [number[], number[]] = [[], []]
  for (let n = 0; n < beeps; n++) {
    const understood = new Promise<number>((resolve) => {
      hears = () => resolve(performance.now())
    })
    const sent = performance.now()
    client.sendPacket(Buffer.from(encoder.encode(loud)), Math.round(sent * 48) % 2 ** 32)
    there.push((await understood) - sent)
    const before = client.audible
    const heard = client.until(() => client.audible > before)
    const speech = session.say('Beep.')
    await heard
    back.push(performance.now() - spoke)
    await speech.waitForPlayout()
  }
  await session.close()
  await server.close()
  await client.close()
  return median(there) + median(back)
}
