import { pcm } from '../../src/audio/index.ts'
import type { BaseLine } from '../../src/lines/base-line.ts'
import { limits } from '../../src/lines/rtvi-websocket/limits.ts'
import type { Line } from '../../src/parts/index.ts'
import type { LineSubject, Stage } from '../../src/testing/index.ts'
import { AwaitedLines } from './awaited-lines.ts'
import type { ClientLine, MakeClientLine } from './client-lines.ts'
import { RtviTestClient, type ClientWires } from './rtvi-client.ts'

const LOST = 8_000

/** The network of a subject's clients. */
export interface Clients {
  readonly wires: ClientWires & { vanish(): void }
  readonly url: string
  /** How long anything may take to arrive, by the stage's clock. Default: 0. */
  readonly delay?: number
}

/** A line that gets a call whenever it is opened: the lines for RTVI clients have one line per call. */
export function rtviSubjectOf(
  stage: Stage,
  make: MakeClientLine,
  clientsOf: (line: ClientLine) => Clients,
): LineSubject {
  const lines = new AwaitedLines<BaseLine>()
  const own = make({ scope: stage.context().scope, maxRate: 1_000, lostTimeout: LOST, onCall: lines.take })
  const { carrier } = own
  const { wires, url, delay = 0 } = clientsOf(own)
  let client: RtviTestClient | undefined
  let closingAt = Infinity
  let refuses = false

  const line: Line = {
    name: 'rtvi',
    hears: pcm(16_000),
    speaks: pcm(24_000),
    async open(context, events) {
      const { scope } = context
      scope.signal.throwIfAborted()
      const address = `${url}${await own.start()}`
      scope.signal.throwIfAborted()
      const taken = await lines.next(
        scope,
        () => (client = new RtviTestClient(stage.clock, wires, address, carrier ? { carrier } : {})),
        () => {
          closingAt = stage.clock.now()
          // The line does not know about a client that is not connected yet.
          if (!client!.isOpen) client!.leaves()
        },
      )
      if (refuses) taken.abort()
      const connection = await taken.open(context, events)
      const caller = client!
      await caller.until(() => caller.isOpen || caller.end !== undefined)
      return connection
    },
  }
  return {
    line,
    caller: {
      says: (ms) => client!.speaks(ms),
      types: (text) => client!.says('send-text', { content: text }),
      presses: (keys) => client!.says('dtmf', { buttons: keys.split('') }),
      hangsUp: () => client!.leaves(),
      vanishes: () => {
        wires.vanish()
        client!.freezes()
      },
    },
    ended: () => client!.end !== undefined,
    // A client plays to its end what it has.
    audibleAfterClosing: () => client!.audibleAfter(closingAt + limits.ahead + delay),
    lostAfter: LOST,
    refuses: () => (refuses = true),
  }
}
