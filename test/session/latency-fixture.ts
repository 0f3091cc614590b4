import { z } from 'zod'
import { tool, type Session, type TurnLatency } from '../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../src/testing/index.ts'
import { aLiveCall, type Call, type CallOptions } from './fixture.ts'

/** Milliseconds that each stage of a turn takes. */
export interface Delays {
  readonly delay?: number
  readonly text?: number
  readonly hook?: number
  readonly model?: number
  readonly tool?: number
  readonly voice?: number
  readonly line?: number
}

export const words = 'When do you open?'

/** Starts a call whose parts take these times, with endpointing of 300 ms by default. */
export async function aSlowCall(world: World, delays: Delays, options: CallOptions = {}) {
  const { delay = 300, text = 0, hook, model = 0, tool: toolTime, voice = 0, line = 0 } = delays
  const { clock } = world
  const find = tool({
    description: 'Finds a slot',
    input: z.object({}),
    run: async () => {
      await clock.elapse(toolTime ?? 0)
      return 'at eight'
    },
  })
  const onTurn = async (heard: string): Promise<string> => {
    await clock.elapse(hook ?? 0)
    return heard
  }
  const call = await aLiveCall(world, {
    answers: [...(toolTime === undefined ? [] : [[callTool('find')]]), 'At eight.'],
    stt: { finalAfter: text },
    llm: { firstAfter: model },
    tts: { firstAfter: voice },
    line: { latency: line },
    turns: { endpointing: { delay } },
    agent: {
      ...(toolTime === undefined ? {} : { tools: { find } }),
      ...(hook === undefined ? {} : { onTurn }),
    },
    ...options,
  })
  live = call.session
  return { ...call, latencies: latenciesOf(call) }
}

/** The session of the test, which is closed at its end. */
let live: Session | undefined

export const inClosedCall = (work: (world: World) => Promise<void>): Promise<void> =>
  inVirtualTime(async (world) => {
    await work(world)
    await live?.close()
    live = undefined
  })

export function latenciesOf({ session }: Pick<Call, 'session'>): TurnLatency[] {
  const latencies: TurnLatency[] = []
  session.on('latency', ({ ms, stages, heard, by }) => latencies.push({ ms, stages, heard, by }))
  return latencies
}

/** The caller says something, which ends now. */
export async function speak({ vad, stt }: Pick<Call, 'vad' | 'stt'>): Promise<void> {
  vad.starts()
  await stt.hear(words)
  vad.stops()
}
