import type { AudioFrame } from '../../src/audio/index.ts'
import type { BaseLine } from '../../src/lines/base-line.ts'
import { RtviCalls, type RtviCallInfo, type RtviCallsOptions } from '../../src/lines/rtvi-websocket/index.ts'
import type { LineConnection } from '../../src/parts/index.ts'
import { Scope } from '../../src/scope/index.ts'
import {
  inVirtualTime,
  partContext,
  soundOf,
  type TestPartContext,
  type World,
} from '../../src/testing/index.ts'
import { RtviTestClient, type ClientOptions } from './rtvi-client.ts'
import { SimWires, type Dial } from './sim-wires.ts'

/** The headers and the address of a page on this machine. */
export const localPage = {
  origin: 'http://localhost:3000',
  headers: { host: 'localhost:4600', origin: 'http://localhost:3000' },
  address: '127.0.0.1',
}

/** Dials as a page on this machine. A refusal is a close code to the page, whatever the reason. */
export const dialRtvi =
  (calls: () => RtviCalls): Dial =>
  (address) => {
    const { pathname, search } = new URL(address)
    const { accept, refused } = calls().admit({ ...localPage, url: `${pathname}${search}` })
    return accept ? { accept } : { code: 1006, reason: refused }
  }

/** Starts a call, and returns the address to connect to. */
export async function startCall(calls: RtviCalls, server = 'ws://localhost:4600'): Promise<string> {
  const started = await calls.start({ headers: localPage.headers, data: undefined })
  if ('refused' in started) throw new Error(started.refused)
  const { token } = started.connection as { token: string }
  return `${server}/rtvi?token=${encodeURIComponent(token)}`
}

/** A call that was answered by hand. */
export interface AnsweredRtvi {
  readonly line: BaseLine
  readonly info: RtviCallInfo
  readonly context: TestPartContext
  readonly connection: LineConnection
  /** What the line emitted, in order: `marked 1 500 assumed`, `text hello`, `hung up`, `lost CODE`. */
  readonly emitted: string[]
  readonly frames: AudioFrame[]
  /** Plays words, 50 ms per character, and puts a mark behind them. */
  say(words: string, mark: number): void
}

export interface RtviScene extends World {
  readonly calls: RtviCalls
  readonly scope: Scope<string>
  readonly wires: SimWires
  readonly answered: AnsweredRtvi[]
  readonly client: (options?: ClientOptions) => Promise<RtviTestClient>
  /** A client calls, is answered, and is ready. */
  readonly call: (options?: ClientOptions) => Promise<{ client: RtviTestClient; call: AnsweredRtvi }>
}

/** Plays a scene with simulated clients in virtual time. Closes everything at the end. */
export function rtviScene(
  play: (scene: RtviScene) => Promise<void>,
  options: Partial<RtviCallsOptions> | ((world: World) => Partial<RtviCallsOptions>) = {},
): Promise<void> {
  return inVirtualTime(async (world) => {
    const scope = new Scope<string>('calls', { clock: world.clock, phases: ['tasks', 'resources'] })
    const answered: AnsweredRtvi[] = []
    const calls = new RtviCalls({
      scope,
      onCall: async (line, info) => answered.push(await answerByHand(world, line, info)),
      ...(typeof options === 'function' ? options(world) : options),
    })
    const wires = new SimWires(
      world,
      dialRtvi(() => calls),
    )
    const client = async (clientOptions?: ClientOptions): Promise<RtviTestClient> =>
      new RtviTestClient(world.clock, wires, await startCall(calls), clientOptions)
    const call: RtviScene['call'] = async (clientOptions) => {
      const one = await client(clientOptions)
      const { readyAfter = 0 } = clientOptions ?? {}
      await world.clock.elapse(10 + (readyAfter === 'never' ? 0 : readyAfter))
      return { client: one, call: answered.at(-1)! }
    }
    try {
      await play({ ...world, calls, scope, wires, answered, client, call })
    } finally {
      for (const { context } of answered) await context.scope.close()
      await scope.close()
    }
  })
}

/** Answers a call without a session. */
export async function answerByHand(world: World, line: BaseLine, info: RtviCallInfo): Promise<AnsweredRtvi> {
  const context = partContext(world)
  const emitted: string[] = []
  const frames: AudioFrame[] = []
  const connection = await line.open(context, {
    frame: (frame) => frames.push(frame),
    marked: (id, heard, assumed) =>
      emitted.push(`marked ${id} ${Math.round(heard ?? NaN)}${assumed ? ' assumed' : ''}`),
    dtmf: (digit) => emitted.push(`dtmf ${digit}`),
    text: (text) => emitted.push(`text ${text}`),
    hungUp: () => emitted.push('hung up'),
    lost: (error) => emitted.push(`lost ${(error as { code?: string } | undefined)?.code ?? ''}`.trim()),
    handedOver: () => emitted.push('handed over'),
  })
  const say = (words: string, mark: number): void => {
    connection.play(soundOf(words, 24_000, 50))
    connection.mark(mark)
  }
  return { line, info, context, connection, emitted, frames, say }
}
