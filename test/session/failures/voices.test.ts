import { pcm } from '../../../src/audio/index.ts'
import { describe, expect, it } from 'vitest'
import type { SpokenChunk, Tts } from '../../../src/parts/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aLiveCall, expectEnded, type CallOptions } from '../fixture.ts'
import { Agent, Session } from '../../../src/session/index.ts'
import { ScriptedLlm, TestLine, type World } from '../../../src/testing/index.ts'

/** A session whose voice yields these chunks for every text. */
async function aCallWithVoice(
  world: World,
  chunks: () => Iterable<unknown>,
  options: Partial<CallOptions> = {},
) {
  const tts: Tts = {
    name: 'odd',
    speaks: [pcm(16_000)],
    open: async () => ({
      async *speak(text) {
        for await (const _ of text);
        yield* chunks() as Iterable<SpokenChunk>
      },
    }),
  }
  const line = new TestLine()
  const errors: unknown[] = []
  const session = new Session({
    agent: new Agent({ instructions: '' }),
    models: { llm: new ScriptedLlm({ answers: options.answers ?? [] }), tts },
    line,
    clock: world.clock,
    random: world.random,
    turns: { mode: 'manual' },
  })
  session.on('error', ({ where, error }) => errors.push(`${where}: ${(error as { code?: string }).code}`))
  await session.start()
  return { session, line, errors }
}

describe('a voice', () => {
  it('[FA3] that makes no sound for its words has failed to speak', () =>
    inVirtualTime(async (world) => {
      const { session, errors } = await aCallWithVoice(world, () => [])
      expect(await session.say('Hello!').waitForPlayout()).toMatchObject({ how: 'failed', heard: '' })
      expect(errors).toEqual(['tts: NO_SOUND'])
      // There is nothing to pronounce in these.
      for (const text of ['', ' … ', '—', '👍'])
        expect(await session.say(text).waitForPlayout()).toMatchObject({ how: 'played' })
      await session.close()
    }))

  it.each([
    ['a Buffer', { samples: Buffer.alloc(640), sampleRate: 16_000 }],
    ['floats', { samples: new Float32Array(320), sampleRate: 16_000 }],
    ['an array', { samples: [1, 2, 3], sampleRate: 16_000 }],
    ['an unknown rate', { samples: new Int16Array(320), sampleRate: 12_345 }],
    ['nothing', undefined],
  ])('[FA3] that yields %s as sound has failed to speak, and no noise is played', (_, frame) =>
    inVirtualTime(async (world) => {
      const { session, line, errors } = await aCallWithVoice(world, () => [{ frame }])
      expect(await session.say('Hello!').waitForPlayout()).toMatchObject({ how: 'failed' })
      expect(errors).toEqual(['tts: PART_MISBEHAVED'])
      expect(line.heard).toEqual([])
      await session.close()
    }),
  )

  it('[FA2] that is gone for good ends the session', () =>
    inVirtualTime(async (world) => {
      const error = new Error('503')
      const call = await aLiveCall(world, {
        tts: { failAfter: 0, error },
        answers: ['One.', 'Two.', 'Three.'],
      })
      for (const text of ['a', 'b', 'c']) {
        call.caller.types(text)
        await world.clock.elapse(1_000)
      }
      expect(await call.session.closed).toMatchObject({
        reason: 'error',
        by: 'tts',
        error: { message: '503' },
      })
      expectEnded(call)
    }))

  it('[FA2] is not blamed for words that do not come', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { stallTimeout: 2_000 })
      const words = async function* () {
        yield 'Hello '
        throw new Error('mine')
      }
      for (let times = 0; times < 5; times++) await call.session.say(words()).waitForPlayout()
      expect(new Set(call.log.filter((line) => line.startsWith('error')))).toEqual(new Set(['error: speech']))
      expect(call.session.state).toBe('live')
      await call.session.close()
    }))
})
