import { describe, expect, it } from 'vitest'
import { pcm, silence, type AudioFrame } from '../../src/audio/index.ts'
import {
  sayExactly,
  type Message,
  type Realtime,
  type RealtimeEvents,
  type RealtimeModel,
} from '../../src/parts/index.ts'
import { fallbackRealtime } from '../../src/parts/fallback/index.ts'
import {
  callTool,
  inVirtualTime,
  partContext,
  textOf,
  type ScriptedRealtimeOptions,
} from '../../src/testing/index.ts'
import { RATE, broken, ignored, open, plain, scripted } from './realtime-fallback.ts'

const plainFormats = { hears: [pcm(RATE)], speaks: [pcm(RATE)] }

describe('a fallback of realtime models', () => {
  it.each<[string, ScriptedRealtimeOptions, number]>([
    ['cannot be opened', { openFails: new Error('no key') }, 0],
    ['hangs while opening', { openHangs: true }, 5_000],
  ])('[FB5] starts with the next model when one %s', (_, manners, after) =>
    inVirtualTime(async (world) => {
      const one = scripted('one', manners)
      const two = scripted('two', { answers: ['Hello.'] })
      const { model, scope, log } = await open(world, [one, two])
      expect(world.clock.now()).toBe(after)
      model.respond()
      await world.clock.elapse(1_000)
      expect(log).toEqual(['answer-1 asked', 'answer-1 says: Hello.', 'answer-1 completed '])
      await scope.close()
      expect([one.counts.live, two.counts.live]).toEqual([0, 0])
    }),
  )

  it('[FB5] passes the conversation, instructions and tools as they stand to the next model', () =>
    inVirtualTime(async (world) => {
      const one = scripted('one')
      const two = scripted('two', { openTakes: 100 })
      const messages: Message[] = [{ role: 'user', text: 'Hello?' }]
      const { model, scope } = await open(world, [one, two], {
        setup: { messages: [], conversation: () => messages },
      })
      model.update({ instructions: 'Be kind.', tools: [] })
      one.drop(broken)
      await world.clock.elapse(50)
      // While the next model opens: it follows.
      model.update({ instructions: 'Be polite.', tools: [] })
      model.addText('Anyone?')
      await world.clock.elapse(100)
      expect(two.setups).toMatchObject([
        { instructions: 'Be kind.', messages, takesTurns: true },
        { instructions: 'Be polite.' },
      ])
      expect(two.texts).toEqual(['Anyone?'])
      expect(one.counts).toMatchObject({ opened: 1, live: 0 })
      await scope.close()
    }))

  it('[FB5] fails an answer that was cut, and asks again for those that had no output', () =>
    inVirtualTime(async (world) => {
      const one = scripted('one', { answers: ['A long story.', 'Another.'], speed: 1 })
      const two = scripted('two', { answers: ({ instructions }) => `Two: ${instructions}.` })
      const { model, scope, log, frames } = await open(world, [one, two])
      model.respond('tell a story')
      await world.clock.elapse(200)
      model.respond('say goodbye')
      one.drop(broken)
      expect(log.at(-1)).toBe('answer-1 failed no network')
      model.respond('apologise')
      frames.length = 0
      await world.clock.elapse(1_000)
      expect(log.slice(3)).toEqual([
        'answer-2 asked',
        'answer-2 says: Two: say goodbye.',
        'answer-2 completed ',
        'answer-3 asked',
        'answer-3 says: Two: apologise.',
        'answer-3 completed ',
      ])
      expect(textOf(frames)).toBe('Two: say goodbye.Two: apologise.')
      await scope.close()
    }))

  it('[FB5] says words exactly with a model that can, and instructs the next one to say them if it cannot', () =>
    inVirtualTime(async (world) => {
      const said: string[] = []
      const one: Realtime = {
        ...plainFormats,
        name: 'one',
        open: async (context, setup, events) => {
          const model = await first.open(context, setup, events)
          return Object.assign(Object.create(model) as RealtimeModel, {
            say: (words: string) => void said.push(words),
            push: (frame: AudioFrame) => model.push(frame),
          })
        },
      }
      const first = scripted('one')
      const two = scripted('two', { answers: ({ instructions }) => `Two: ${instructions}` })
      // Also through a converter of formats.
      const { model, scope, log } = await open(world, [one, two], { setup: { hears: pcm(8_000) } })
      model.say!('Goodbye.')
      expect(said).toEqual(['Goodbye.'])
      first.drop(broken)
      await world.clock.elapse(1_000)
      expect(log).toEqual([
        'answer-1 asked',
        `answer-1 says: Two: ${sayExactly('Goodbye.')}`,
        'answer-1 completed ',
      ])
      await scope.close()
    }))

  it('[FB5] offers no exact words if its first model does not', () =>
    inVirtualTime(async (world) => {
      const { model, scope } = await open(world, [scripted('one')])
      expect('say' in model && model.say !== undefined).toBe(false)
      await scope.close()
    }))

  it('[FB5] goes on with an answer that had begun without output, and can still withdraw it', () =>
    inVirtualTime(async (world) => {
      for (const withdrawn of [undefined, 'while opening', 'once asked'] as const) {
        const one = scripted('one', { answers: [[{ stall: true }]] })
        const two = scripted('two', { openTakes: 100, firstAfter: 100, answers: () => 'Here I am.' })
        const { model, scope, log } = await open(world, [one, two])
        model.respond()
        await world.clock.elapse(10)
        one.drop(broken)
        expect(log).toEqual(['answer-1 asked'])
        await world.clock.elapse(50)
        if (withdrawn === 'while opening') model.interrupt('answer-1', 0)
        await world.clock.elapse(100)
        if (withdrawn === 'once asked') model.interrupt('answer-1', 0)
        await world.clock.elapse(1_000)
        expect(log.slice(1)).toEqual(
          withdrawn ? ['answer-1 cancelled '] : ['answer-1 says: Here I am.', 'answer-1 completed '],
        )
        expect(two.interruptions).toHaveLength(withdrawn === 'once asked' ? 1 : 0)
        log.length = 0
        model.respond()
        await world.clock.elapse(1_000)
        expect(log).toEqual(['answer-2 asked', 'answer-2 says: Here I am.', 'answer-2 completed '])
        await scope.close()
      }
    }))

  it('[FB5] passes the result of a running tool to the next model, once', () =>
    inVirtualTime(async (world) => {
      const call = { role: 'tool-call', id: 'call-1', name: 'find', input: '{}' } as const
      const running = { role: 'tool-result', id: 'call-1', name: 'find', output: 'still running' } as const
      for (const late of ['while opening', 'afterwards']) {
        const one = scripted('one', { answers: [[callTool('find')]] })
        const turns: unknown[] = []
        const two = scripted('two', {
          openTakes: 100,
          answers: (turn) => {
            turns.push(turn.results)
            return turns.length === 1 ? 'At nine.' : [callTool('find')]
          },
        })
        const { model, scope, log } = await open(world, [one, two], {
          setup: { conversation: () => [call, { ...running, failed: false }] },
        })
        model.respond()
        await world.clock.elapse(10)
        one.drop(broken)
        await world.clock.elapse(late === 'while opening' ? 50 : 200)
        model.toolResult('call-1', 'nine', false)
        model.respond()
        await world.clock.elapse(1_000)
        expect(two.setups[0]).toMatchObject({ messages: [call] })
        expect(turns).toEqual([[{ id: 'call-1', output: 'nine', failed: false }]])
        expect(log.slice(2)).toEqual([
          'answer-1 completed ',
          'answer-2 asked',
          'answer-2 says: At nine.',
          'answer-2 completed ',
        ])
        await scope.close()
      }
    }))

  it('[FB5] tells calls of two models apart that have the same id', () =>
    inVirtualTime(async (world) => {
      const one = scripted('one', { answers: [[callTool('find')]] })
      const two = scripted('two', { answers: [[callTool('find')]] })
      const { model, scope, log } = await open(world, [one, two])
      model.respond()
      await world.clock.elapse(10)
      one.drop(broken)
      model.respond()
      await world.clock.elapse(10)
      expect(log.filter((line) => line.includes('calls'))).toEqual([
        'answer-1 calls call-1 find',
        'answer-2 calls call-1-1 find',
      ])
      model.toolResult('call-1-1', 'ten', false)
      expect(two.results).toEqual([{ id: 'call-1', output: 'ten', failed: false }])
      await scope.close()
    }))

  it('[FB5] speaks and hears in the formats of the first model, whichever model is in use', () =>
    inVirtualTime(async (world) => {
      const one = scripted('one', { hears: [pcm(16_000)], speaks: [pcm(24_000)] })
      const two = scripted('two', { hears: [pcm(8_000)], speaks: [pcm(8_000)], answers: ['Hello.'] })
      const fallback = fallbackRealtime([one, two])
      expect([fallback.name, fallback.hears, fallback.speaks]).toEqual([
        'one or two',
        [pcm(16_000)],
        [pcm(24_000)],
      ])
      const { model, scope, frames } = await open(world, [one, two], { setup: { speaks: pcm(24_000) } })
      one.drop(broken)
      await world.clock.elapse(10)
      model.push(silence(20, 16_000))
      model.respond()
      await world.clock.elapse(1_000)
      expect(new Set(frames.map(({ sampleRate }) => sampleRate))).toEqual(new Set([24_000]))
      const samples = frames.reduce((sum, frame) => sum + frame.samples.length, 0)
      expect(samples / 24).toBeCloseTo(6 * 50, -1)
      expect(two.setups[0]).toMatchObject({ hears: pcm(8_000), speaks: pcm(8_000) })
      await scope.close()
    }))

  it('[FB5] fails once when each model has failed since the last sign of life', () =>
    inVirtualTime(async (world) => {
      const one = scripted('one')
      const two = scripted('two', { openFails: new Error('no key') })
      const { model, scope, log } = await open(world, [one, two], { name: 'both' })
      one.drop(broken)
      await world.clock.elapse(10)
      expect(log).toEqual(["failed every model of 'both' has failed: one: no network; two: no key"])
      model.push(silence(20, RATE))
      model.respond()
      await world.clock.elapse(60_000)
      expect(log).toHaveLength(1)
      expect([one.counts.opened, two.counts.asked]).toEqual([1, 1])
      await scope.close()
    }))

  it('[FB2] begins the next call with another model', () =>
    inVirtualTime(async (world) => {
      const one = scripted('one')
      const two = scripted('two')
      const realtime = fallbackRealtime([one, two])
      const first = partContext(world)
      const second = partContext(world)
      await realtime.open(first, plain, ignored)
      one.drop(broken)
      await world.clock.elapse(10)
      await realtime.open(second, plain, ignored)
      expect([one.counts.opened, two.counts.opened]).toEqual([1, 2])
      await first.scope.close()
      await second.scope.close()
    }))

  it.each(['close', 'abort'] as const)(
    '[FB5] leaves nothing open on %s() while it opens, moves on, or waits for a model that hangs',
    (how) =>
      inVirtualTime(async (world) => {
        for (const phase of ['opening', 'next', 'next hangs', 'after'] as const) {
          const one = scripted('one', phase === 'opening' ? { openTakes: 100 } : {})
          const two = scripted('two', phase === 'next hangs' ? { openHangs: true } : { openTakes: 100 })
          const { scope, ...context } = partContext(world)
          const failures: unknown[] = []
          const events = new Proxy({} as RealtimeEvents, {
            get: (_, name) => (error: unknown) => void (name === 'failed' && failures.push(error)),
          })
          const opening = fallbackRealtime([one, two])
            .open({ ...context, scope }, plain, events)
            .catch(() => {})
          await world.clock.elapse(10)
          if (phase !== 'opening') one.drop(broken)
          await world.clock.elapse(phase === 'after' ? 200 : 50)
          if (how === 'abort') scope.abort()
          // An opening that ignores its signal is waited for as long as the close may take.
          else expect((await scope.close()).took).toBeLessThan(phase === 'next hangs' ? 5_000 : 500)
          await opening
          await world.clock.elapse(10_000)
          expect([phase, one.counts.live, two.counts.live]).toEqual([phase, 0, 0])
          expect(scope.inspect().tree).toMatchObject({ state: 'closed', owned: [], children: [] })
          expect(world.clock.timers.list()).toEqual([])
          expect(failures.length).toBeLessThanOrEqual(1)
        }
      }),
  )
})
