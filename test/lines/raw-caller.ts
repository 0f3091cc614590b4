import { connect, type Socket } from 'node:net'

export interface RawCallerOptions {
  readonly port: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Opcodes of the WebSocket protocol. */
const TEXT = 0x1
const BINARY = 0x2
const CLOSE = 0x8
const PING = 0x9
const PONG = 0xa

/** A WebSocket client without manners: it sends any frame, and can stop reading. */
export class RawCaller {
  /** Payloads of the pongs that were read. */
  readonly pongs: string[] = []
  /** The binary messages that were read. */
  readonly heard: Buffer[] = []
  readonly ended: Promise<void>
  readonly #tcp: Socket
  #buffer = Buffer.alloc(0)

  private constructor(tcp: Socket) {
    this.#tcp = tcp
    // A flood ends with a reset connection.
    tcp.on('error', () => {})
    this.ended = new Promise((resolve) => tcp.on('close', () => resolve()))
  }

  /** Connects and upgrades. It reads until `stopsReading`. */
  static async dial({ port, path, headers = {} }: RawCallerOptions): Promise<RawCaller> {
    const tcp = connect(port, '127.0.0.1')
    const caller = new RawCaller(tcp)
    const lines = Object.entries({
      host: `localhost:${port}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`)
    tcp.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    await new Promise<void>((resolve) => {
      tcp.on('data', (data) => {
        caller.#read(data)
        resolve()
      })
    })
    return caller
  }

  stopsReading(): void {
    this.#tcp.pause()
  }

  readsAgain(): void {
    this.#tcp.resume()
  }

  says(message: unknown): void {
    this.#send(TEXT, typeof message === 'string' ? message : JSON.stringify(message))
  }

  sends(bytes: Uint8Array): void {
    this.#send(BINARY, bytes)
  }

  /** Sends a close frame: without a code, as browsers do by default. */
  closes(code?: number): void {
    this.#send(CLOSE, code === undefined ? '' : Uint8Array.of(code >> 8, code & 0xff))
  }

  pings(text: string, times = 1): void {
    for (let i = 0; i < times; i++) this.#send(PING, text)
  }

  sendsPongs(times: number): void {
    for (let i = 0; i < times; i++) this.#send(PONG, '')
  }

  /** Resolves when so many pongs have been read. */
  async answered(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (this.pongs.length < count) return
        this.#tcp.off('data', look)
        resolve()
      }
      this.#tcp.on('data', look)
      look()
    })
  }

  abort(): void {
    this.#tcp.destroy()
  }

  #send(opcode: number, content: string | Uint8Array): void {
    const payload = Buffer.from(content)
    const [near, far] = [payload.length >> 8, payload.length & 0xff]
    const length =
      payload.length < 126
        ? [0x80 | payload.length]
        : payload.length < 65_536
          ? [0x80 | 126, near, far]
          : [0x80 | 127, 0, 0, 0, 0, 0, payload.length >> 16, near & 0xff, far]
    // A mask of zeros leaves the payload as it is.
    this.#tcp.write(Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), payload]))
  }

  /** Reads frames, of which only close frames, pongs and sound matter. Skips the head of the HTTP answer. */
  #read(data: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, data])
    const head = this.#buffer.indexOf('\r\n\r\n')
    if (this.#buffer.subarray(0, 4).toString() === 'HTTP') {
      if (head < 0) return
      this.#buffer = this.#buffer.subarray(head + 4)
    }
    for (;;) {
      const [first = 0, second = 0] = this.#buffer
      const long = (second & 0x7f) === 126
      const start = long ? 4 : 2
      if (this.#buffer.length < start) return
      const length = long ? this.#buffer.readUInt16BE(2) : second & 0x7f
      if (this.#buffer.length < start + length) return
      // It leaves without an answer.
      if ((first & 0xf) === CLOSE) return void this.#tcp.destroy()
      if ((first & 0xf) === BINARY) this.heard.push(this.#buffer.subarray(start, start + length))
      if ((first & 0xf) === PONG) this.pongs.push(this.#buffer.subarray(start, start + length).toString())
      this.#buffer = this.#buffer.subarray(start + length)
    }
  }
}
