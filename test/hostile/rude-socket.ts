import { connect, type Socket } from 'node:net'
import type { SimRandom } from '../../src/testing/index.ts'

export interface RudeSocketOptions {
  readonly port: number
  readonly random: SimRandom
  readonly tell: (text: string) => void
}

/** Opcodes of the WebSocket protocol. */
const TEXT = 0x1
const BINARY = 0x2
const CLOSE = 0x8
const PING = 0x9
const PONG = 0xa

const ways = [
  'in order',
  'in order',
  'in any order',
  'garbled',
  'garbled',
  'noise',
  'bytes',
  'a flood',
  'pings',
  'pongs',
  'too much',
  'a frame that never ends',
  'a broken frame',
  'a close frame',
  'not reading',
  'half an end',
  'a cut',
] as const

/** A WebSocket client without manners, on a real TCP connection. Every choice depends on its random only, not on time. */
export class RudeSocket {
  readonly #tcp: Socket
  readonly #random: SimRandom
  readonly #tell: (text: string) => void

  constructor({ port, random, tell }: RudeSocketOptions) {
    this.#random = random
    this.#tell = tell
    this.#tcp = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    // A flood ends with a reset connection.
    this.#tcp.on('error', () => {})
    this.#tcp.resume()
  }

  /** Sends an upgrade, and continues without waiting for its answer: what follows may arrive too early. */
  upgrades(path: string, headers: Readonly<Record<string, string>> = {}): void {
    const lines = Object.entries({
      host: 'localhost',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`)
    this.writes(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  }

  writes(data: string | Uint8Array): void {
    if (this.#tcp.writable) this.#tcp.write(data)
  }

  /**
   * Does one rude thing. `messages` are what a peer with manners would send, in this order. Often the next of them is sent,
   * so that some peers are well into a call before they misbehave.
   */
  misbehaves(messages: readonly object[], step: number): void {
    const random = this.#random
    const way = random.chance(0.3) ? random.pick(['in order', 'garbled'] as const) : random.pick(ways)
    this.#tell(way)
    const next = messages[Math.min(step, messages.length - 1)]!
    const text = (): string => JSON.stringify(random.pick(messages))
    switch (way) {
      case 'in order':
        return this.#send(TEXT, JSON.stringify(next))
      case 'in any order':
        return this.#send(TEXT, text())
      case 'garbled':
        return this.#send(TEXT, garbled(random, random.chance(0.7) ? next : random.pick(messages)))
      case 'noise':
        return this.#send(
          TEXT,
          random.pick(['', '{', 'null', '[]', '"start"', '{"type":7}', '\u0000', '\ud800']),
        )
      case 'bytes':
        return this.#send(BINARY, Buffer.alloc(random.int(0, 2_000), random.int(0, 255)))
      case 'a flood':
        return this.#repeat(random.int(100, 3_000), TEXT, text())
      case 'pings':
        return this.#repeat(random.int(100, 5_000), PING, 'x'.repeat(random.int(0, 125)))
      case 'pongs':
        return this.#repeat(random.int(1, 2_000), PONG, '')
      case 'too much':
        return this.#send(
          random.pick([TEXT, BINARY]),
          Buffer.alloc(random.pick([70_000, 300_000, 2_000_000]), 120),
        )
      case 'a frame that never ends':
        // Announces 2^40 bytes.
        return this.writes(Buffer.from([0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]))
      case 'a broken frame':
        // Reserved bits, an opcode that is none, no mask, a ping in fragments, a text that is not UTF-8.
        return this.writes(
          Buffer.from(
            random.pick([
              [0xf1, 0x80, 0, 0, 0, 0],
              [0x83, 0x80, 0, 0, 0, 0],
              [0x81, 0x01, 0x61],
              [0x09, 0x80, 0, 0, 0, 0],
              [0x81, 0x81, 0, 0, 0, 0, 0xff],
            ]),
          ),
        )
      case 'a close frame': {
        const code = random.pick([0, 999, 1000, 1005, 3000, 4999, 65_535])
        return this.#send(CLOSE, Buffer.from([code >> 8, code & 0xff, ...Buffer.from('bye')]))
      }
      case 'not reading':
        return void this.#tcp.pause()
      case 'half an end':
        return void this.#tcp.end()
      case 'a cut':
        return this.abort()
    }
  }

  abort(): void {
    this.#tcp.destroy()
  }

  #repeat(times: number, opcode: number, text: string): void {
    const frame = frameOf(opcode, text)
    this.writes(Buffer.concat(Array.from({ length: times }, () => frame)))
  }

  #send(opcode: number, data: string | Uint8Array): void {
    this.writes(frameOf(opcode, data))
  }
}

/** Values that throw, or never end, when they are converted or counted; and some that are merely wrong. */
const values: readonly unknown[] = [
  { toString: 1 },
  { length: 1e9 },
  { valueOf: 1, toString: {} },
  [[[]]],
  {},
  null,
  -1,
  1e300,
  '',
  'x'.repeat(10_000),
]

/** The JSON of a message in which one field, at any depth, has a value of the wrong kind. */
function garbled(random: SimRandom, message: object): string {
  const copy = structuredClone(message) as Fields
  const fields: (readonly [Fields, string])[] = []
  const collect = (parent: Fields): void => {
    for (const [name, value] of Object.entries(parent)) {
      fields.push([parent, name])
      if (typeof value === 'object' && value !== null) collect(value as Fields)
    }
  }
  collect(copy)
  const [parent, name] = random.pick(fields)
  parent[name] = values[random.int(0, values.length - 1)]
  return JSON.stringify(copy)
}

type Fields = Record<string, unknown>

/** A final frame. A mask of zeros leaves the payload as it is. */
function frameOf(opcode: number, data: string | Uint8Array): Buffer {
  const payload = Buffer.from(data as string)
  const { length } = payload
  const head =
    length < 126
      ? [0x80 | length]
      : length < 65_536
        ? [0xfe, length >> 8, length & 0xff]
        : [
            0xff,
            0,
            0,
            0,
            0,
            (length >>> 24) & 0xff,
            (length >> 16) & 0xff,
            (length >> 8) & 0xff,
            length & 0xff,
          ]
  return Buffer.concat([Buffer.from([0x80 | opcode, ...head, 0, 0, 0, 0]), payload])
}
