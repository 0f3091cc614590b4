import type { DialRequest, Network, Socket, SocketEnd } from '../../src/scope/index.ts'

/** A client for tests of a vendor's server: it sends JSON and records the server's messages. */
export class TestClient<Message> {
  readonly messages: Message[] = []
  readonly socket: Socket
  end: SocketEnd | undefined
  /** The messages as `describe` words them, without those for which it returns undefined. */
  readonly log: string[] = []

  constructor(
    network: Network,
    request: Omit<DialRequest, 'name'>,
    describe: (message: Message) => string | undefined,
  ) {
    this.socket = network.dial(
      { name: 'client', ...request },
      {
        opened: () => {},
        message: (data) => {
          const text = typeof data === 'string' ? data : new TextDecoder().decode(data)
          const message = JSON.parse(text) as Message
          this.messages.push(message)
          const line = describe(message)
          if (line !== undefined) this.log.push(line)
        },
        ended: (end) => (this.end = end),
      },
    )
  }

  /** Sends messages as JSON, and strings unchanged. */
  say(...messages: (object | string)[]): void {
    for (const message of messages) {
      this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    }
  }
}
