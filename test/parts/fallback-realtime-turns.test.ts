import { describe, expect, it } from 'vitest'
import { silence, type AudioFrame } from '../../src/audio/index.ts'
import type { Realtime, RealtimeModel } from '../../src/parts/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import { RATE, broken, open, scripted } from './realtime-fallback.ts'

describe('a turn of the caller, in a fallback of realtime models', () => {
  it('[FB5] answers a caller who waits for an answer that the lost model had not begun', () =>
    inVirtualTime(async (world) => {
      const one = scripted('one', { firstAfter: 500, answers: ['One.'] })
      const two = scripted('two', { answers: ['Two.'] })
      const { scope, log } = await open(world, [one, two])
      one.hear('are you there')
      await world.clock.elapse(100)
      one.drop(broken)
      await world.clock.elapse(1_000)
      expect(log).toEqual([
        'user started',
        'user stopped',
        "user said 'are you there'",
        'answer-1 unasked',
        'answer-1 says: Two.',
        'answer-1 completed ',
      ])
      await scope.close()
    }))

  it('[FB5] has the next model hear the turn that the lost one was hearing', () =>
    inVirtualTime(async (world) => {
      const one = scripted('one')
      const two = scripted('two', { openTakes: 100, answers: ['Certainly.'] })
      const { model, scope, log, say } = await open(world, [one, two])
      await say('book me ')
      one.drop(broken)
      expect(log).toEqual(['user started', 'user stopped', "user said ''"])
      await say('in')
      for (let ms = 0; ms < 400; ms += 20) {
        model.push(silence(20, RATE))
        await world.clock.elapse(20)
      }
      await world.clock.elapse(1_000)
      expect(log.slice(3)).toEqual([
        'user started',
        'user stopped',
        "user said 'book me in'",
        'answer-1 unasked',
        'answer-1 says: Certainly.',
        'answer-1 completed ',
      ])
      await scope.close()
    }))

  it('[FB5] has the next model hear a committed turn that was not transcribed', () =>
    inVirtualTime(async (world) => {
      const one = scripted('one', { finalAfter: 'never', firstAfter: 500, answers: ['One.'] })
      const two = scripted('two', { answers: ({ user }) => `You said ${user}.` })
      const { model, scope, log, say } = await open(world, [one, two], { setup: { takesTurns: false } })
      await say('hello')
      model.commit()
      model.respond()
      await world.clock.elapse(100)
      one.drop(broken)
      await world.clock.elapse(1_000)
      expect(log.slice(-5)).toEqual([
        'user stopped',
        "user said 'hello'",
        'answer-1 asked',
        'answer-1 says: You said hello.',
        'answer-1 completed ',
      ])
      await scope.close()
    }))

  it('[FB5] has the next model hear a turn that was not transcribed, whatever was said meanwhile', () =>
    inVirtualTime(async (world) => {
      const pauses = async (model: RealtimeModel): Promise<void> => {
        for (let ms = 0; ms < 400; ms += 20) {
          model.push(silence(20, RATE))
          await world.clock.elapse(20)
        }
      }
      const again = ['user started', 'user stopped', "user said 'hello'", 'answer-2 unasked']
      // The model has begun to answer, without output.
      const silent = scripted('silent', { finalAfter: 'never', answers: [[{ stall: true }]] })
      const one = await open(world, [silent, scripted('two', { answers: ['Two.'] })])
      await one.say('hello')
      await pauses(one.model)
      silent.drop(broken)
      await pauses(one.model)
      expect(one.log).toEqual([
        'user started',
        'user stopped',
        'answer-1 unasked',
        "user said ''",
        'answer-1 cancelled ',
        ...again,
        'answer-2 says: Two.',
        'answer-2 completed ',
      ])
      await one.scope.close()
      // The session has asked for something else, which was said.
      const slow = scripted('slow', { finalAfter: 'never', answers: ['One moment.'] })
      const two = await open(world, [slow, scripted('two', { answers: ['Two.'] })])
      await two.say('hello')
      slow.userStops()
      two.model.respond('Ask for patience.')
      await world.clock.elapse(10)
      slow.drop(broken)
      await pauses(two.model)
      expect(two.log.slice(-6)).toEqual([...again, 'answer-2 says: Two.', 'answer-2 completed '])
      await two.scope.close()
    }))

  it('[FB5] replays nothing that was understood, and no more than `replay`', () =>
    inVirtualTime(async (world) => {
      const one = scripted('one')
      const two = scripted('two')
      const pushed: number[] = []
      const counting: Realtime = {
        name: 'two',
        hears: two.hears,
        speaks: two.speaks,
        open: async (...args) => {
          const model = await two.open(...args)
          const push = model.push.bind(model)
          return Object.assign(model, {
            push: (frame: AudioFrame) => {
              pushed.push(frame.samples.length / 16)
              push(frame)
            },
          })
        },
      }
      const first = await open(world, [one, counting], { replay: 200 })
      await first.say('a long story')
      one.drop(broken)
      await world.clock.elapse(10)
      expect(pushed).toEqual([50, 50, 50, 50])
      two.hear('')
      expect(first.log.at(-1)).toBe("user said 'tory'")
      await first.scope.close()
      pushed.length = 0
      const second = await open(world, [one, counting])
      await second.say('hello')
      one.hear('')
      second.model.push(silence(100, RATE))
      one.drop(broken)
      second.model.push(silence(20, RATE))
      await world.clock.elapse(10)
      expect(pushed).toEqual([20])
      await second.scope.close()
    }))
})
