import { pcm, type AudioFrame } from '../../src/audio/index.ts'
import {
  type Realtime,
  type RealtimeEvents,
  type RealtimeModel,
  type RealtimeSetup,
} from '../../src/parts/index.ts'
import { fallbackRealtime, type FallbackReplayOptions } from '../../src/parts/fallback/index.ts'
import type { Scope } from '../../src/scope/index.ts'
import {
  ScriptedRealtime,
  partContext,
  soundOf,
  type ScriptedRealtimeOptions,
  type World,
} from '../../src/testing/index.ts'

export const RATE = 16_000

export const plain: RealtimeSetup = {
  hears: pcm(RATE),
  speaks: pcm(RATE),
  instructions: 'Be brief.',
  tools: [],
  messages: [],
  takesTurns: true,
}

/** Callbacks that do nothing. */
export const ignored = new Proxy({} as RealtimeEvents, { get: () => () => {} })

export interface Open {
  readonly model: RealtimeModel
  readonly scope: Scope<string>
  readonly log: string[]
  readonly frames: AudioFrame[]
  /** Speaks 20 characters per second. */
  readonly say: (text: string) => Promise<void>
}

export interface Opening extends FallbackReplayOptions {
  readonly setup?: Partial<RealtimeSetup>
}

/** Opens a fallback without a session, and logs its events. */
export async function open(world: World, models: readonly Realtime[], options: Opening = {}): Promise<Open> {
  const { setup, ...rest } = options
  const log: string[] = []
  const frames: AudioFrame[] = []
  const note = (...words: unknown[]): void => void log.push(words.join(' '))
  const events: RealtimeEvents = {
    userStarted: () => note('user started'),
    userStopped: () => note('user stopped'),
    userInterim: () => {},
    userFinal: (text) => note(`user said '${text}'`),
    responseStarted: (response, asked) => note(response, asked ? 'asked' : 'unasked'),
    audio: (_, frame) => void frames.push(frame),
    text: (response, text) => {
      const said = log.at(-1)?.startsWith(`${response} says`) ? log.pop()! : `${response} says: `
      note(`${said}${text}`)
    },
    toolCall: (response, { id, name }) => note(response, 'calls', id, name),
    toolCancelled: (id) => note('cancels', id),
    responseEnded: (response, how, error) => note(response, how, error instanceof Error ? error.message : ''),
    usage: () => {},
    failed: (error) => note('failed', (error as Error).message),
  }
  const context = partContext(world)
  const { scope } = context
  const full: RealtimeSetup = { ...plain, ...setup }
  const model = await fallbackRealtime(models, rest)
    .open(context, full, events)
    .catch(async (error: unknown) => {
      await scope.close()
      throw error
    })
  const say = async (text: string): Promise<void> => {
    for (const character of text) {
      model.push(soundOf(character, RATE, 50))
      await world.clock.elapse(50)
    }
  }
  return { model, scope, log, frames, say }
}

export const scripted = (name: string, options: ScriptedRealtimeOptions = {}): ScriptedRealtime =>
  new ScriptedRealtime({ name, ...options })

export const broken = new Error('no network')
