import { Resampler } from '../../src/audio/index.ts'
import { OpusEncoder } from '../../src/lines/webrtc/opus.ts'
import { clip } from '../../test/fixtures/speech.ts'
import { WeriftClient } from '../../test/lines/werift-client.ts'

/** Orders for the process of the callers, which answers each one with a `CallersAnswer` once it is carried out. */
export type CallersOrder =
  | { readonly type: 'call'; readonly url: string; readonly calls: number }
  | { readonly type: 'count' }

/** How many packets all callers together have sent and received. */
export interface CallersAnswer {
  readonly sent: number
  readonly heard: number
}

const PACKET = 480

/** A question, as packets of 20 ms that are sent in a loop. */
function voice(): Buffer[] {
  const { samples } = clip('what are your opening hours')
  const encoder = new OpusEncoder(24_000)
  const sound = new Resampler({ from: 16_000, to: 24_000 }).push(samples)
  return Array.from({ length: Math.floor(sound.length / PACKET) }, (_, n) =>
    Buffer.from(encoder.encode(sound.subarray(n * PACKET, (n + 1) * PACKET))),
  )
}

const packets = voice()
const clients: WeriftClient[] = []

async function call({ url, calls }: CallersOrder & { type: 'call' }): Promise<void> {
  for (let n = 0; n < calls; n++) {
    const client = new WeriftClient({ url })
    const { status } = await client.offers()
    if (status !== 200) throw new Error(`call ${n + 1} was refused with ${status}`)
    await client.until(() => client.sentPings > 0)
    clients.push(client)
  }
}

const count = (): CallersAnswer => ({
  sent: clients.reduce((sum, { sentPackets }) => sum + sentPackets, 0),
  heard: clients.reduce((sum, { heard }) => sum + heard.length, 0),
})

// The packets of the callers are spread over 20 ms. Late ones are caught up.
const began = performance.now()
let turn = 0
setInterval(() => {
  for (const now = performance.now() - began; turn < now; turn++)
    for (let n = turn % 20; n < clients.length; n += 20) {
      const client = clients[n]!
      if (!client.hasEnded) client.sendPacket(packets[client.sentPackets % packets.length]!, turn * 48)
    }
}, 1)

process.on('message', (order: CallersOrder) => {
  const done = order.type === 'call' ? call(order) : Promise.resolve()
  done
    .then(() => process.send!(count()))
    .catch((error: unknown) => {
      console.error(error)
      process.exit(1)
    })
})
