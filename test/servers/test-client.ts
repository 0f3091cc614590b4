import type { DialRequest, Network, Socket, SocketEnd } from '../../src/scope/index.ts'

/** The other side of a vendor's server, in tests of the server itself: it says JSON and remembers what it was told. */
export class TestClient<Message> {
  readonly messages: Message[] = []
  readonly socket: Socket
  end: SocketEnd | undefined
  /** What happened, in order, as `describe` puts it; what it leaves out is not in it. */
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

  /** Sends messages in order; a string as it is. */
  say(...messages: (object | string)[]): void {
    for (const message of messages) {
      this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    }
  }
}
