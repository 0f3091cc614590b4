import type { AudioFrame } from '../../src/audio/index.ts'
import {
  WebSocketCalls,
  type CallInfo,
  type WebSocketCallsOptions,
  type WebSocketLine,
} from '../../src/lines/websocket/index.ts'
import type { LineConnection } from '../../src/parts/index.ts'
import { Scope } from '../../src/scope/index.ts'
import {
  inVirtualTime,
  partContext,
  soundOf,
  textOf,
  type TestPartContext,
  type World,
} from '../../src/testing/index.ts'
import { TestPage, type PageOptions } from './page.ts'
import { SimWires } from './sim-wires.ts'
import { dialPage } from './subject.ts'

export const RATE = 16_000
export const MS_PER_CHARACTER = 50

/** A call that was answered by hand. */
export interface Answered {
  readonly line: WebSocketLine
  readonly info: CallInfo
  readonly context: TestPartContext
  readonly connection: LineConnection
  /** What the line emitted, in order: `marked 1 500`, `text hello`, `hung up`, `lost CODE`. */
  readonly emitted: string[]
  readonly frames: AudioFrame[]
  /** Plays words and puts a mark behind them. */
  say(words: string, mark: number): void
}

export interface Scene extends World {
  readonly calls: WebSocketCalls
  readonly scope: Scope<string>
  readonly wires: SimWires
  readonly answered: Answered[]
  readonly page: (options?: PageOptions) => TestPage
  /** A page calls, and is answered. */
  readonly call: (options?: PageOptions) => Promise<{ page: TestPage; call: Answered }>
}

/** Plays a scene with simulated pages in virtual time. Closes everything at the end. */
export function scene(
  play: (scene: Scene) => Promise<void>,
  options: Partial<WebSocketCallsOptions> | ((world: World) => Partial<WebSocketCallsOptions>) = {},
): Promise<void> {
  return inVirtualTime(async (world) => {
    const scope = new Scope<string>('calls', { clock: world.clock, phases: ['tasks', 'resources'] })
    const answered: Answered[] = []
    const calls = new WebSocketCalls({
      scope,
      onCall: async (line, info) => answered.push(await answer(world, line, info)),
      ...(typeof options === 'function' ? options(world) : options),
    })
    const wires = new SimWires(
      world,
      dialPage(() => calls),
    )
    const page = (pageOptions?: PageOptions): TestPage =>
      new TestPage(world.clock, wires, 'ws://localhost/call', pageOptions)
    const call = async (pageOptions?: PageOptions): Promise<{ page: TestPage; call: Answered }> => {
      const one = page(pageOptions)
      one.wire.connect()
      await one.until(() => one.hello !== undefined || one.over)
      await world.clock.elapse(5)
      return { page: one, call: answered.at(-1)! }
    }
    try {
      await play({ ...world, calls, scope, wires, answered, page, call })
    } finally {
      for (const { context } of answered) await context.scope.close()
      await scope.close()
    }
  })
}

async function answer(world: World, line: WebSocketLine, info: CallInfo): Promise<Answered> {
  const context = partContext(world)
  const emitted: string[] = []
  const frames: AudioFrame[] = []
  const connection = await line.open(context, {
    frame: (frame) => frames.push(frame),
    marked: (id, heard) => emitted.push(`marked ${id} ${Math.round(heard ?? NaN)}`),
    dtmf: (digit) => emitted.push(`dtmf ${digit}`),
    text: (text) => emitted.push(`text ${text}`),
    hungUp: () => emitted.push('hung up'),
    lost: (error) => emitted.push(['lost', codeOf(error)].join(' ').trim()),
    handedOver: () => emitted.push('handed over'),
  })
  const say = (words: string, mark: number): void => {
    connection.play(soundOf(words, RATE, MS_PER_CHARACTER))
    connection.mark(mark)
  }
  return { line, info, context, connection, emitted, frames, say }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** The words that pages have played, in order, without pauses. */
export function wordsFrom(...pages: readonly TestPage[]): string {
  const samples = pages.flatMap(({ heard }) => heard.flatMap((each) => [...each.samples]))
  return textOf([{ samples: Int16Array.from(samples.filter((sample) => sample !== 0)), sampleRate: RATE }])
}
