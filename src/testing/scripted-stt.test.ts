import { describe, expect, it } from 'vitest'
import { silence } from '../audio/index.ts'
import type { SttEvents, SttStream } from '../parts/index.ts'
import type { Scope } from '../scope/index.ts'
import {
  ScriptedStt,
  inVirtualTime,
  partContext,
  soundOf,
  type ScriptedSttOptions,
  type World,
} from './index.ts'

const RATE = 16_000

interface Open {
  readonly stt: ScriptedStt
  readonly stream: SttStream
  readonly scope: Scope<string>
  readonly told: string[]
}

async function open(world: World, options: ScriptedSttOptions = {}): Promise<Open> {
  const told: string[] = []
  const note = (what: string): void => void told.push(`${world.clock.now()} ${what}`)
  const events: SttEvents = {
    interim: (text) => note(`interim ${text}`),
    final: (text) => note(`final ${text}`),
    endOfTurn: () => note('end of turn'),
    failed: (error) => note(`failed ${String(error)}`),
  }
  const stt = new ScriptedStt(options)
  const context = partContext(world)
  return { stt, stream: await stt.open(context, events), scope: context.scope, told }
}

describe('a scripted STT', () => {
  it('plays its script by the sound it is given', () =>
    inVirtualTime(async (world) => {
      const { stream, scope, told } = await open(world, {
        script: [
          { interim: 'book' },
          { after: 40, final: 'book me in' },
          { endOfTurn: true },
          { after: 20, fail: 'gone' },
        ],
      })
      const push = (): void => stream.push(silence(20, RATE))
      push()
      expect(told).toEqual(['0 interim book'])
      push()
      expect(told).toEqual(['0 interim book', '0 final book me in', '0 end of turn'])
      push()
      push()
      expect(told.slice(3)).toEqual(['0 failed gone'])
      await scope.close()
    }))

  it('hears what it is told to, word by word if asked', () =>
    inVirtualTime(async (world) => {
      const { stt, scope, told } = await open(world, { endsTurns: true })
      await stt.hear('yes')
      await stt.hear('book me in', 300)
      expect(told).toEqual([
        '0 interim yes',
        '0 final yes',
        '0 end of turn',
        '100 interim book ',
        '200 interim book me ',
        '300 interim book me in',
        '300 final book me in',
        '300 end of turn',
      ])
      await scope.close()
    }))

  it('keeps words interim until it is flushed or detached, and then takes its time', () =>
    inVirtualTime(async (world) => {
      const { stt, stream, scope, told } = await open(world, { finalOn: 'flush', finalAfter: 150 })
      await stt.hear('hello')
      stream.flush()
      await world.clock.elapse(200)
      stream.flush()
      await stt.hear('bye')
      stream.detach()
      await world.clock.elapse(200)
      expect(told).toEqual(['0 interim hello', '150 final hello', '200 interim bye', '350 final bye'])
      expect(stt.log).toEqual(['flush', 'flush', 'detach'])
      await scope.close()
    }))

  it('understands the words that are in the sound, however it is cut', () =>
    inVirtualTime(async (world) => {
      const { stt, stream, scope, told } = await open(world, { finalOn: 'flush' })
      const { samples } = soundOf('hi ää', RATE, 50)
      for (let at = 0; at < samples.length; at += 999)
        stream.push({ samples: samples.subarray(at, at + 999), sampleRate: RATE })
      stream.flush()
      expect(told.at(-2)).toBe('0 interim hi ää')
      expect(told.at(-1)).toBe('0 final hi ää')
      expect(stt.pushed).toEqual({ live: 250, late: 0 })
      await scope.close()
    }))

  it('tells nothing after it has ended, unless it is rude, and counts what is pushed too late', () =>
    inVirtualTime(async (world) => {
      for (const talksAfterEnd of [false, true]) {
        const { stt, stream, scope, told } = await open(world, { talksAfterEnd, finalAfter: 50 })
        await stt.hear('hello')
        await scope.close()
        expect(world.clock.outside.size).toBe(0)
        stream.push(silence(20, RATE))
        stt.final('too late')
        stt.fail('too late')
        await world.clock.elapse(100)
        expect(told).toHaveLength(talksAfterEnd ? 3 : 1)
        expect(stt.pushed.late).toBe(20)
      }
    }))
})
