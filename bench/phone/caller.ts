import { Resampler, encodeMuLaw, samplesFromBytes } from '../../src/audio/index.ts'
import { wsNetwork } from '../../src/link/index.ts'
import { FrameWriter, readFrame } from '../../src/testing/servers/twilio-frames.ts'
import { TwilioPlayout } from '../../src/testing/servers/twilio-playout.ts'
import type { Socket } from '../../src/scope/index.ts'
import type { Caller, Dial } from '../calls/caller.ts'
import { streamAddress } from './stream-address.ts'

/** Bytes of mu-law in 20 ms. */
const BYTES = 160

let callers = 0
let payloads: readonly string[] = []

/** Encodes the voice of a caller as payloads of 20 ms, as the telephone network does. */
function payloadsOf(frames: readonly Uint8Array[]): readonly string[] {
  if (payloads.length > 0) return payloads
  const resampler = new Resampler({ from: 16_000, to: 8_000 })
  const sound = frames.map((frame) => encodeMuLaw(resampler.push(samplesFromBytes(frame))))
  const whole = Buffer.concat(sound)
  payloads = frames.slice(1).map((_, n) => whole.subarray(n * BYTES, (n + 1) * BYTES).toString('base64'))
  return payloads
}

/** Behaves like Twilio on a media stream: sends sound, plays received sound in real time, and returns marks. */
export const dialPhone: Dial = (url, { frames, first }, { talking, ended }) => {
  const number = ++callers
  const voice = payloadsOf(frames)
  const names = {
    account: 'AC0',
    call: `CA${number}`,
    stream: `MZ${number}`,
    from: '+1',
    to: '+2',
    parameters: {},
  }
  const writer = new FrameWriter('twilio', names)
  const playout = new TwilioPlayout()
  let socket: Socket | undefined
  const marked = (marks: readonly string[]): void => {
    for (const name of marks) socket?.send(writer.write({ event: 'mark', name }))
  }
  const dial = (address: string): void => {
    const stream = wsNetwork.dial(
      { name: 'caller', url: address },
      {
        opened: () => {
          stream.send(writer.write({ event: 'connected' }))
          stream.send(writer.write({ event: 'start' }))
          talking()
        },
        message: (data) => {
          const frame = readFrame(data, 'twilio', names.stream)
          if (typeof frame === 'string') return
          if (frame.event === 'mark') return marked(playout.mark(frame.name))
          if (frame.event === 'clear') return marked(playout.clear())
          playout.push(frame.payload)
          caller.heard += frame.payload.length / BYTES
        },
        ended,
      },
    )
    socket = stream
  }
  streamAddress(url, names.call).then(dial, (error: unknown) => {
    // Not handled: a call without a stream must fail the benchmark.
    throw error
  })
  const caller: Caller = {
    sent: 0,
    heard: 0,
    tick: () => {
      const payload = voice[(first + caller.sent++) % voice.length]!
      socket?.send(writer.write({ event: 'media', chunk: caller.sent, at: caller.sent * 20, payload }))
      marked(playout.play(BYTES).marks)
    },
    hangUp: () => {
      socket?.send(writer.write({ event: 'stop' }))
      socket?.close(1000)
    },
  }
  return caller
}
