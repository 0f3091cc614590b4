import { describe, expect, it } from 'vitest'
import { pcm, silence } from '../../audio/index.ts'
import type { Scope } from '../../scope/index.ts'
import { ScriptedStt, inVirtualTime, partContext, soundOf, type World } from '../../testing/index.ts'
import { noSttEvents, type Stt, type SttStream } from '../index.ts'
import { fallbackStt, type FallbackReplayOptions } from './index.ts'

const RATE = 16_000

interface Open {
  readonly stream: SttStream
  readonly scope: Scope<string>
  readonly log: string[]
  /** Speaks 20 characters per second. */
  readonly say: (text: string) => Promise<void>
}

async function open(
  world: World,
  models: readonly Stt[],
  options: FallbackReplayOptions = {},
): Promise<Open> {
  const log: string[] = []
  const context = partContext(world)
  const { scope } = context
  const events = {
    ...noSttEvents,
    interim: (text: string) => void log.push(`interim ${text}`),
    final: (text: string) => void log.push(`final ${text}`),
    endOfTurn: () => void log.push('end of turn'),
    failed: (error: unknown) => void log.push(`failed ${(error as Error).message}`),
  }
  const stream = await fallbackStt(models, options)
    .open(context, events, { format: pcm(RATE), keyTerms: [] })
    .catch(async (error: unknown) => {
      await scope.close()
      throw error
    })
  const say = async (text: string): Promise<void> => {
    for (const character of text) {
      stream.push(soundOf(character, RATE, 50))
      await world.clock.elapse(50)
    }
  }
  return { stream, scope, log, say }
}

const finals = (log: readonly string[]): string[] => log.filter((each) => !each.startsWith('interim'))

describe('a fallback of STTs', () => {
  it('[FB1] opens the next model when one fails, and replays the audio since the last final text', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedStt({ name: 'one', finalOn: 'flush', talksAfterEnd: true })
      const two = new ScriptedStt({ name: 'two', finalOn: 'flush', openTakes: 300 })
      const { stream, scope, log, say } = await open(world, [one, two])
      await say('hello')
      stream.flush()
      await say('book me ')
      one.fail(new Error('no network'))
      await say('in')
      // Speech and flush() while the next model opens are not lost.
      stream.flush()
      expect(two.counts).toMatchObject({ asked: 1, opened: 0 })
      await world.clock.elapse(500)
      expect(finals(log)).toEqual(['final hello', 'final book me in'])
      one.final('too late')
      one.fail(new Error('too late'))
      await say('yes')
      stream.flush()
      expect(finals(log)).toEqual(['final hello', 'final book me in', 'final yes'])
      expect(one.counts.live).toBe(0)
      await scope.close()
      expect(two.counts.live).toBe(0)
    }))

  it('replays no more audio than `replay`', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedStt({ name: 'one' })
      const two = new ScriptedStt({ name: 'two', finalOn: 'flush' })
      const { stream, scope, log, say } = await open(world, [one, two], { replay: 200 })
      await say('a long story')
      one.fail()
      await world.clock.elapse(1)
      stream.flush()
      expect(finals(log)).toEqual(['final tory'])
      await scope.close()
    }))

  it('transcribes the audio before detach() even if the model fails then', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedStt({ name: 'one', finalOn: 'flush', finalAfter: 'never' })
      const two = new ScriptedStt({ name: 'two', finalOn: 'flush' })
      const { stream, scope, log, say } = await open(world, [one, two])
      await say('goodbye')
      stream.detach()
      await say('unheard')
      one.fail()
      await world.clock.elapse(1)
      expect(finals(log)).toEqual(['final goodbye'])
      expect(two.log).toEqual(['detach'])
      await scope.close()
    }))

  it.each([
    ['cannot be opened', { openFails: new Error('no key') }, 0],
    ['hangs while opening', { openHangs: true }, 5_000],
  ])('starts with the next model when one %s', (_, manners, after) =>
    inVirtualTime(async (world) => {
      const one = new ScriptedStt({ name: 'one', ...manners })
      const two = new ScriptedStt({ name: 'two' })
      const { scope, log } = await open(world, [one, two])
      expect(world.clock.now()).toBe(after)
      await two.hear('hello')
      expect(finals(log)).toEqual(['final hello'])
      await scope.close()
    }),
  )

  it('fails when each model has failed once, and emits nothing after that', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedStt({ name: 'one' })
      const two = new ScriptedStt({ name: 'two', script: [{ fail: new Error('too many calls') }] })
      const { stream, scope, log } = await open(world, [one, two], { name: 'both' })
      stream.push(silence(20, RATE))
      one.fail(new Error('no network'))
      await world.clock.elapse(10)
      expect(log).toEqual(["failed every model of 'both' has failed: one: no network; two: too many calls"])
      stream.push(silence(20, RATE))
      stream.flush()
      await world.clock.elapse(10_000)
      expect(log).toHaveLength(1)
      expect([one.counts.opened, two.counts.opened]).toEqual([1, 1])
      await scope.close()
      await expect(open(world, [new ScriptedStt({ openFails: 'no key' })])).rejects.toMatchObject({
        code: 'ALL_FAILED',
      })
    }))

  it('[FB2] opens a model that failed first again once its cool-down has passed', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedStt({ name: 'one' })
      const two = new ScriptedStt({ name: 'two' })
      const changes: string[] = []
      const { scope, log } = await open(world, [one, two, new ScriptedStt()], {
        onChange: ({ type, model }) => changes.push(`${model} ${type}`),
      })
      one.fail()
      await world.clock.elapse(10)
      await two.hear('hello')
      await world.clock.elapse(30_000)
      two.fail()
      await world.clock.elapse(10)
      expect(changes).toEqual(['one failed', 'two failed'])
      await one.hear('bye')
      expect(changes.at(-1)).toBe('one recovered')
      expect(finals(log)).toEqual(['final hello', 'final bye'])
      await scope.close()
      expect(world.clock.timers.list()).toEqual([])
    }))

  it('[FB2] keeps the failure of a model that other calls still hear with', () =>
    inVirtualTime(async (world) => {
      const manners = { name: 'one', openFails: undefined as unknown }
      const one = new ScriptedStt(manners)
      const two = new ScriptedStt({ name: 'two' })
      const stt = fallbackStt([one, two])
      const setup = { format: pcm(RATE), keyTerms: [] }
      const contexts = [partContext(world), partContext(world), partContext(world)]
      await stt.open(contexts[0]!, noSttEvents, setup)
      manners.openFails = new Error('no more connections')
      await stt.open(contexts[1]!, noSttEvents, setup)
      await one.hear('hello')
      manners.openFails = undefined
      await stt.open(contexts[2]!, noSttEvents, setup)
      expect([one.counts.live, two.counts.live]).toEqual([1, 2])
      for (const { scope } of contexts) await scope.close()
    }))

  it('ends turns only if all models do', () =>
    inVirtualTime(async (world) => {
      const ends = new ScriptedStt({ endsTurns: true })
      expect(fallbackStt([ends, new ScriptedStt({ endsTurns: true })]).endsTurns).toBe(true)
      expect(fallbackStt([ends, new ScriptedStt()]).endsTurns).toBe(false)
      const { scope, log } = await open(world, [ends, new ScriptedStt()])
      await ends.hear('hello')
      expect(finals(log)).toEqual(['final hello'])
      await scope.close()
    }))

  it('reports a failure at once while the scope is closing, and opens nothing', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedStt({ name: 'one', closeTakes: 500 })
      const two = new ScriptedStt({ name: 'two' })
      const { scope, log } = await open(world, [one, two])
      const closed = scope.close()
      one.fail(new Error('no network'))
      expect(log).toEqual(['failed no network'])
      await closed
      expect(two.counts.asked).toBe(0)
    }))

  it('can be closed while the next model is being opened', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedStt({ name: 'one' })
      const two = new ScriptedStt({ name: 'two', openHangs: true })
      const { scope, log } = await open(world, [one, two])
      one.fail()
      await world.clock.elapse(100)
      const report = await scope.close()
      expect(report.took).toBeLessThan(5_000)
      expect(log).toHaveLength(1)
      expect(world.clock.timers.list()).toEqual([])
    }))
})
