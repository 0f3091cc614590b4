import { RtviConversation } from '../../src/lines/rtvi/rtvi-conversation.ts'
import type { RtviOptions } from '../../src/lines/rtvi/options.ts'
import { Scope } from '../../src/scope/index.ts'
import type { World } from '../../src/testing/index.ts'
import { aCall, type Call, type CallOptions } from '../session/fixture.ts'

/** A message to an RTVI client. */
export interface Received {
  readonly at: number
  readonly label: string
  readonly type: string
  readonly id?: string
  readonly data?: Readonly<Record<string, unknown>>
}

export interface RtviStage extends Call {
  readonly conversation: RtviConversation
  readonly received: Received[]
  /** Sends a message to the conversation. */
  says(type: string, data?: unknown, id?: string): void
  /** The data of all messages of a type. */
  all(type: string): Readonly<Record<string, unknown>>[]
  /** The types that were received, in order. */
  types(): string[]
  end(): Promise<void>
}

/** A session with scripted models, and the RTVI messages to and from a client, without a transport. */
export function rtviStage(world: World, options: CallOptions & { rtvi?: RtviOptions } = {}): RtviStage {
  const { rtvi, ...rest } = options
  const { clock } = world
  const received: Received[] = []
  const scope = new Scope<string>('calls', { clock })
  const conversation: RtviConversation = new RtviConversation(
    {
      scope,
      write: (json) => received.push({ at: clock.now(), ...(JSON.parse(json) as Omit<Received, 'at'>) }),
      ready: () => {},
      typed: (what, value) => (what === 'text' ? call.caller.types(value) : call.caller.presses(value)),
    },
    rtvi,
  )
  const call = aCall(world, {
    ...rest,
    line: {
      program: {
        sendMessage: (data) => conversation.sendMessage(data),
        runTool: (tool, signal) => conversation.runTool(tool, signal),
      },
      ...rest.line,
    },
  })
  conversation.attach(call.session)
  return {
    ...call,
    conversation,
    received,
    says: (type, data, id = 'm1') =>
      conversation.receive(JSON.stringify({ label: 'rtvi-ai', type, id, data })),
    all: (type) => received.filter((message) => message.type === type).map(({ data }) => data ?? {}),
    types: () => received.map(({ type }) => type),
    end: async () => {
      await call.session.close()
      conversation.end()
      await scope.close()
    },
  }
}

/** The same, with a live session and a client that is ready. */
export async function liveStage(
  world: World,
  options: CallOptions & { rtvi?: RtviOptions; version?: string } = {},
): Promise<RtviStage> {
  const { version = '2.1.0', ...rest } = options
  const stage = rtviStage(world, rest)
  stage.says('client-ready', { version, about: { library: 'test' } })
  await stage.session.start()
  stage.received.length = 0
  return stage
}
