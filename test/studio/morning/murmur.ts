import { encodeWav } from '../../../src/audio/index.ts'
import type { LiveEvent } from '../../../src/host/index.ts'

const RATE = 8_000

/** A recording that sounds like two people from afar: a murmur wherever the events say that somebody spoke. */
export function murmurOf(events: readonly LiveEvent[], startedAt: number, lived: number): Uint8Array {
  const caller = new Int16Array(Math.ceil((lived / 1_000) * RATE))
  const agent = new Int16Array(caller.length)
  let speaksSince: number | undefined
  let agentSince = startedAt
  for (const event of events) {
    if (event.type === 'hearing') speaksSince ??= event.at
    if (event.type === 'user' && speaksSince !== undefined) murmur(caller, speaksSince, event.at, 190)
    if (event.type === 'user') speaksSince = undefined
    if (event.type === 'speaking') agentSince = event.at
    if (event.type === 'spoken' && event.heard !== '') murmur(agent, agentSince, event.at, 130)
  }
  return encodeWav([caller, agent], RATE)

  function murmur(channel: Int16Array, from: number, until: number, pitch: number): void {
    const [first, last] = [from, until].map((at) => Math.round(((at - startedAt) / 1_000) * RATE)) as [
      number,
      number,
    ]
    for (let index = Math.max(0, first); index < Math.min(last, channel.length); index++) {
      const t = index / RATE
      // Syllables, and words of a few of them.
      const syllable = Math.max(0, Math.sin(2 * Math.PI * 3.1 * t + Math.sin(t * 5))) ** 0.7
      const word = 0.25 + 0.75 * Math.max(0, Math.sin(2 * Math.PI * 0.63 * t + Math.sin(t * 1.7)))
      const voice = Math.sin(2 * Math.PI * pitch * t) + 0.4 * Math.sin(2 * Math.PI * pitch * 2.01 * t)
      channel[index] = 6_500 * syllable * word * voice
    }
  }
}
