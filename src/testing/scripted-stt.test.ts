import { describe, expect, it } from 'vitest'
import { silence } from '../audio/index.ts'
import { noSttEvents, type SttEvents, type SttStream } from '../parts/index.ts'
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
  readonly emitted: string[]
}

async function open(world: World, options: ScriptedSttOptions = {}): Promise<Open> {
  const emitted: string[] = []
  const note = (what: string): void => void emitted.push(`${world.clock.now()} ${what}`)
  const events: SttEvents = {
    ...noSttEvents,
    interim: (text) => note(`interim ${text}`),
    final: (text) => note(`final ${text}`),
    endOfTurn: () => note('end of turn'),
    failed: (error) => note(`failed ${String(error)}`),
  }
  const stt = new ScriptedStt(options)
  const context = partContext(world)
  return { stt, stream: await stt.open(context, events), scope: context.scope, emitted }
}

describe('a scripted STT', () => {
  it('follows its script as audio is pushed', () =>
    inVirtualTime(async (world) => {
      const { stream, scope, emitted } = await open(world, {
        script: [
          { interim: 'book' },
          { after: 40, final: 'book me in' },
          { endOfTurn: true },
          { after: 20, fail: 'gone' },
        ],
      })
      const push = (): void => stream.push(silence(20, RATE))
      push()
      expect(emitted).toEqual(['0 interim book'])
      push()
      expect(emitted).toEqual(['0 interim book', '0 final book me in', '0 end of turn'])
      push()
      push()
      expect(emitted.slice(3)).toEqual(['0 failed gone'])
      await scope.close()
    }))

  it('emits the words given to hear(), word by word if a duration is given', () =>
    inVirtualTime(async (world) => {
      const { stt, scope, emitted } = await open(world, { endsTurns: true })
      await stt.hear('yes')
      await stt.hear('book me in', 300)
      expect(emitted).toEqual([
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

  it('emits final words after a flush or detach, with the delay `finalAfter`', () =>
    inVirtualTime(async (world) => {
      const { stt, stream, scope, emitted } = await open(world, { finalOn: 'flush', finalAfter: 150 })
      await stt.hear('hello')
      stream.flush()
      await world.clock.elapse(200)
      stream.flush()
      await stt.hear('bye')
      stream.detach()
      await world.clock.elapse(200)
      expect(emitted).toEqual(['0 interim hello', '150 final hello', '200 interim bye', '350 final bye'])
      expect(stt.log).toEqual(['flush', 'flush', 'detach'])
      await scope.close()
    }))

  it('decodes words from audio, however it is divided into frames', () =>
    inVirtualTime(async (world) => {
      const { stt, stream, scope, emitted } = await open(world, { finalOn: 'flush' })
      const { samples } = soundOf('hi ää', RATE, 50)
      for (let at = 0; at < samples.length; at += 999)
        stream.push({ samples: samples.subarray(at, at + 999), sampleRate: RATE })
      stream.flush()
      expect(emitted.at(-2)).toBe('0 interim hi ää')
      expect(emitted.at(-1)).toBe('0 final hi ää')
      expect(stt.pushed).toEqual({ live: 250, late: 0 })
      await scope.close()
    }))

  it('emits nothing after its end, except with `talksAfterEnd`, and counts late audio', () =>
    inVirtualTime(async (world) => {
      for (const talksAfterEnd of [false, true]) {
        const { stt, stream, scope, emitted } = await open(world, { talksAfterEnd, finalAfter: 50 })
        await stt.hear('hello')
        await scope.close()
        expect(world.clock.outside.size).toBe(0)
        stream.push(silence(20, RATE))
        stt.final('too late')
        stt.fail('too late')
        await world.clock.elapse(100)
        expect(emitted).toHaveLength(talksAfterEnd ? 3 : 1)
        expect(stt.pushed.late).toBe(20)
      }
    }))
})
