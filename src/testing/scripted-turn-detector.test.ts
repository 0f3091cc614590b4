import { type UnfinishedTurn } from '../parts/index.ts'
import { describe, expect, it } from 'vitest'
import { ScopeClosedError } from '../scope/index.ts'
import {
  ScriptedTurnDetector,
  conformance,
  inVirtualTime,
  lifecycle,
  partContext,
  type ScriptedTurnDetectorOptions,
} from './index.ts'

const turn = (text: string): UnfinishedTurn => ({ text, sound: [] })
const unaborted = (): AbortSignal => new AbortController().signal

describe('a scripted turn detector', () => {
  it('decides by the final punctuation mark, or by the option `finished`', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const detector = new ScriptedTurnDetector()
      const judge = await detector.open(context)
      expect(await judge.finished(turn('Book me in.'), unaborted())).toBe(1)
      expect(await judge.finished(turn('Book me'), unaborted())).toBe(0)
      expect(detector.judged).toEqual(['Book me in.', 'Book me'])
      const fixed = await new ScriptedTurnDetector({ finished: () => 0.4 }).open(context)
      expect(await fixed.finished(turn('Book me in.'), unaborted())).toBe(0.4)
      await context.scope.close()
    }))

  it('can be slow, fail or hang, and stops when its signal aborts', () =>
    inVirtualTime(async (world) => {
      const context = partContext(world)
      const judge = await new ScriptedTurnDetector({ takes: 300 }).open(context)
      await judge.finished(turn('Yes.'), unaborted())
      expect(world.clock.now()).toBe(300)
      const stop = new AbortController()
      world.clock.happen(100, 'goes on speaking', () => stop.abort('speaks'))
      await expect(judge.finished(turn('Yes.'), stop.signal)).rejects.toBe('speaks')
      const broken = await new ScriptedTurnDetector({ fails: new Error('no model') }).open(context)
      await expect(broken.finished(turn('Yes.'), unaborted())).rejects.toThrow('no model')
      const hung = await new ScriptedTurnDetector({ hangs: true }).open(context)
      let settled = false
      hung.finished(turn('Yes.'), unaborted()).then(
        () => (settled = true),
        () => (settled = true),
      )
      await world.clock.elapse(100_000)
      expect(settled).toBe(false)
      await context.scope.close()
      await expect(broken.finished(turn('Yes.'), unaborted())).rejects.toBeInstanceOf(ScopeClosedError)
    }))
})

conformance(
  { describe, it },
  'the lifecycle of the scripted turn detector',
  lifecycle<{ detector: ScriptedTurnDetector; refuses: () => void }>(({ detector }, context) =>
    detector.open(context),
  ),
  () => {
    const options: ScriptedTurnDetectorOptions = {}
    const refuses = (): void => {
      options.openFails = new Error('no model file')
    }
    return { detector: new ScriptedTurnDetector(options), refuses }
  },
)
