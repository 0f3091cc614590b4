import { bytesOf, frameOf, level, muLaw, pcm, sine } from '../../src/audio/index.ts'
import { wsNetwork } from '../../src/link/index.ts'
import type { SpokenChunk, Stt, Tts } from '../../src/parts/index.ts'
import type { Session } from '../../src/session/index.ts'
import { FrameWriter, readFrame } from '../../src/testing/servers/twilio-frames.ts'
import type { Server } from '../calls/load.ts'
import { llm } from '../calls/stubs.ts'
import { median } from '../median.ts'
import { servePhone } from './serve-phone.ts'
import { streamAddress } from './stream-address.ts'

const rounds = 40
const beep = bytesOf(sine(300, { sampleRate: 8_000, duration: 20 }), muLaw)
const loud = Buffer.from(beep).toString('base64')
const quiet = Buffer.alloc(160, 0xff).toString('base64')
const names = { account: 'AC0', call: 'CA0', stream: 'MZ0', from: '+1', to: '+2', parameters: {} }

/** A caller that can send a beep, and notices a beep that it hears. */
class Beeper {
  heard: () => void = () => {}
  readonly #writer = new FrameWriter('twilio', names)
  readonly #socket
  readonly #voice
  #chunk = 0
  #next = quiet

  static async dial(url: string): Promise<Beeper> {
    return new Beeper(await streamAddress(url, names.call))
  }

  private constructor(url: string) {
    this.#socket = wsNetwork.dial(
      { name: 'beeper', url },
      {
        opened: () => {
          this.#socket.send(this.#writer.write({ event: 'connected' }))
          this.#socket.send(this.#writer.write({ event: 'start' }))
        },
        message: (data) => {
          const frame = readFrame(data, 'twilio', names.stream)
          if (typeof frame === 'string') return
          if (frame.event === 'media' && frame.payload.some((byte) => byte !== 0xff)) this.heard()
          if (frame.event === 'mark') this.#socket.send(this.#writer.write(frame))
        },
        ended: () => {},
      },
    )
    this.#voice = setInterval(() => this.#say(), 20)
  }

  /** Makes the next frame a beep. Resolves when it was sent. */
  beep(): Promise<void> {
    return new Promise((resolve) => {
      this.#next = loud
      this.#sent = resolve
    })
  }

  hangUp(): void {
    clearInterval(this.#voice)
    this.#socket.close(1000)
  }

  #sent: () => void = () => {}

  #say(): void {
    const payload = this.#next
    this.#next = quiet
    this.#socket.send(
      this.#writer.write({ event: 'media', chunk: ++this.#chunk, at: this.#chunk * 20, payload }),
    )
    if (payload === loud) this.#sent()
  }
}

/** Median milliseconds from a beep to its echo. */
export async function echoDelay(server: Server): Promise<number> {
  const beeper = await Beeper.dial(server.url)
  const took: number[] = []
  for (let n = 0; n < rounds; n++) {
    const heard = new Promise<number>((resolve) => {
      beeper.heard = () => resolve(performance.now())
    })
    await beeper.beep()
    const sent = performance.now()
    took.push((await heard) - sent)
  }
  beeper.hangUp()
  await server.close()
  return median(took)
}

/**
 * Milliseconds from a beep to the STT, plus from the TTS to the caller's stream: the sum of both medians. Both take mu-law, so
 * that nothing is resampled.
 */
export async function lineDelay(): Promise<number> {
  let hears: () => void = () => {}
  let spoke = 0
  const stt: Stt = {
    name: 'stt',
    hears: [pcm(16_000), muLaw],
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
  const tts: Tts = {
    name: 'tts',
    speaks: [muLaw],
    open: async () => ({
      async *speak(text): AsyncGenerator<SpokenChunk> {
        for await (const _ of text) {
          spoke = performance.now()
          yield { frame: frameOf(beep.slice(), muLaw) }
        }
      },
    }),
  }
  let began: (session: Session) => void = () => {}
  const talking = new Promise<Session>((resolve) => (began = resolve))
  const server = await servePhone(began, () => ({ llm, stt, tts }))
  const beeper = await Beeper.dial(server.url)
  const session = await talking
  const [there, back]: [number[], number[]] = [[], []]
  for (let n = 0; n < rounds; n++) {
    const understood = new Promise<number>((resolve) => {
      hears = () => resolve(performance.now())
    })
    await beeper.beep()
    const sent = performance.now()
    there.push((await understood) - sent)
    const heard = new Promise<number>((resolve) => {
      beeper.heard = () => resolve(performance.now())
    })
    const speech = session.say('Beep.')
    back.push((await heard) - spoke)
    await speech.waitForPlayout()
  }
  beeper.hangUp()
  await session.close()
  await server.close()
  return median(there) + median(back)
}
