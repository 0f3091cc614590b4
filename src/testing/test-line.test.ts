import { describe, expect, it } from 'vitest'
import { durationOf, silence } from '../audio/index.ts'
import type { ConnectionReport, LineConnection, LineEvents } from '../parts/index.ts'
import type { Scope } from '../scope/index.ts'
import { TestLine, inVirtualTime, partContext, soundOf, type TestLineOptions, type World } from './index.ts'

const FRAME = 20
const RATE = 16_000

/** Twenty characters of text: one second of audio, in fifty frames. */
const WORDS = 'Good morning to you.'
const frames = Array.from({ length: 50 }, (_, index) => ({
  samples: soundOf(WORDS, RATE, 50).samples.subarray(index * 320, index * 320 + 320),
  sampleRate: RATE,
})) as { samples: Int16Array; sampleRate: 16_000 }[]

interface Call {
  readonly line: TestLine
  readonly connection: LineConnection
  readonly scope: Scope<string>
  readonly connections: readonly ConnectionReport[]
  readonly log: string[]
}

async function call(world: World, options: TestLineOptions = {}): Promise<Call> {
  const log: string[] = []
  const note = (what: string): void => void log.push(`${world.clock.now()} ${what}`)
  const events: LineEvents = {
    frame: (frame) => note(`frame ${durationOf(frame)}`),
    marked: (id, heard) => note(`marked ${id} ${heard}`),
    dtmf: (digit) => note(`dtmf ${digit}`),
    text: (text) => note(`text ${text}`),
    hungUp: () => note('hung up'),
    lost: () => note('lost'),
    handedOver: () => note('handed over'),
  }
  const context = partContext(world)
  const line = new TestLine(options)
  const connection = await line.open(context, events)
  return { line, connection, scope: context.scope, log, connections: context.connections }
}

describe('a test line', () => {
  it('plays at normal speed, and reports how much was heard at each mark', () =>
    inVirtualTime(async (world) => {
      const { line, connection, scope, log } = await call(world)
      for (const frame of frames.slice(0, 25)) connection.play(frame)
      connection.mark(1)
      for (const frame of frames.slice(25)) connection.play(frame)
      connection.mark(2)
      connection.mark(3)
      await world.clock.elapse(520)
      expect(line.heardText).toBe('Good morni')
      expect(log).toEqual(['500 marked 1 500'])
      await world.clock.elapse(500)
      expect(line.heardText).toBe(WORDS)
      expect(log).toEqual(['500 marked 1 500', '1000 marked 2 500', '1000 marked 3 0'])
      expect(line.heard.map(({ at }) => at)).toEqual(frames.map((_, index) => index * FRAME))
      await scope.close()
    }))

  it('confirms cleared marks with the amount heard, and never inside clear()', () =>
    inVirtualTime(async (world) => {
      const { line, connection, scope, log } = await call(world)
      for (const frame of frames) connection.play(frame)
      connection.mark(1)
      await world.clock.elapse(130)
      connection.clear()
      expect(log).toEqual([])
      connection.play(frames[0]!)
      connection.mark(2)
      await world.clock.elapse(500)
      expect(log).toEqual(['130 marked 1 130', '150 marked 2 20'])
      expect(line.heard.at(-2)).toMatchObject({ at: 120, heard: 10 })
      await scope.close()
    }))

  it('continues for the lag of an avatar after clear(), and reports that as heard', () =>
    inVirtualTime(async (world) => {
      const { line, connection, scope, log } = await call(world, { avatar: { lag: 800 } })
      for (const frame of frames) connection.play(frame)
      connection.mark(1)
      await world.clock.elapse(100)
      connection.clear()
      await world.clock.elapse(1000)
      expect(log).toEqual(['900 marked 1 900'])
      expect(line.heardText).toBe(WORDS.slice(0, 18))
      await scope.close()
    }))

  it.each<[string, TestLineOptions, string[]]>([
    ['never confirms marks', { confirms: false }, []],
    ['does not report how much was heard', { knows: false }, ['100 marked 1 undefined']],
    ['confirms marks inside clear()', { marksAtOnce: true }, ['100 marked 1 100']],
    ['has latency', { latency: 60 }, ['100 marked 1 40']],
  ])('can be a line that %s', (_, options, expected) =>
    inVirtualTime(async (world) => {
      const { connection, scope, log } = await call(world, options)
      for (const frame of frames) connection.play(frame)
      connection.mark(1)
      await world.clock.elapse(100)
      connection.clear()
      if (options.marksAtOnce) expect(log).toEqual(expected)
      await world.clock.elapse(2000)
      expect(log).toEqual(expected)
      await scope.close()
    }),
  )

  it('is silent from the moment closing begins, and records frames that are played later', () =>
    inVirtualTime(async (world) => {
      const { line, connection, scope } = await call(world, { closeTakes: 300 })
      for (const frame of frames) connection.play(frame)
      await world.clock.elapse(100)
      const closed = scope.close()
      connection.play(frames[0]!)
      await closed
      expect(line.audibleAfterClosing).toBe(0)
      expect(line.playedTooLate).toHaveLength(1)
      expect(line.connection).toMatchObject({ closingAt: 100, endedAt: 400, endedBy: 'session' })
      expect(line.counts).toMatchObject({ opened: 1, closed: 1, aborted: 0, live: 0 })
    }))

  it('counts the audio of an avatar after closing began, excluding silence', () =>
    inVirtualTime(async (world) => {
      const { line, connection, scope } = await call(world, { avatar: { lag: 100 }, closeTakes: 300 })
      connection.play(frames[0]!)
      connection.play(silence(20, RATE))
      for (const frame of frames) connection.play(frame)
      await scope.close()
      expect(line.audibleAfterClosing).toBe(80)
    }))

  it('lets the caller speak, type, press keys and hang up, and emits nothing afterwards', () =>
    inVirtualTime(async (world) => {
      const { line, connection, scope, log } = await call(world)
      const both = Promise.all([line.caller.says(40), line.caller.pauses(30)])
      line.caller.types('hello')
      line.caller.presses('1#')
      await both
      connection.play(frames[0]!)
      connection.mark(1)
      line.caller.hangsUp()
      line.caller.hangsUp()
      line.caller.types('too late')
      await line.caller.says(100)
      connection.play(frames[0]!)
      await world.clock.elapse(100)
      expect(log).toEqual([
        '0 text hello',
        '0 dtmf 1',
        '0 dtmf #',
        '20 frame 20',
        '40 frame 20',
        '60 frame 20',
        '80 frame 20',
        '80 hung up',
      ])
      expect(line.heard).toEqual([])
      expect(line.connection.endedBy).toBe('caller')
      await scope.close()
    }))

  it('emits that a vanished caller is lost after `lostAfter`', () =>
    inVirtualTime(async (world) => {
      const { line, scope, log, connections } = await call(world, { lostAfter: 5000 })
      line.caller.vanishes()
      line.caller.types('too late')
      await world.clock.elapse(6000)
      expect(log).toEqual(['5000 lost'])
      await scope.close()
      expect(connections).toEqual([{ name: 'line', how: 'dropped', retries: 0 }])
    }))

  it('sends silence in pauses with `streams`', () =>
    inVirtualTime(async (world) => {
      const { line, scope, log } = await call(world, { streams: true })
      await world.clock.elapse(50)
      await line.caller.says(60)
      await world.clock.elapse(50)
      await scope.close()
      expect(log.map((each) => parseInt(each, 10))).toEqual([20, 40, 60, 80, 100, 120, 140])
    }))

  it('can wait until the caller has heard given words, whether or not they are queued yet', () =>
    inVirtualTime(async (world) => {
      const { line, connection, scope } = await call(world)
      for (const frame of frames.slice(0, 25)) connection.play(frame)
      const heard = line.caller.hears('morning')
      for (const frame of frames.slice(25)) connection.play(frame)
      await heard
      expect(world.clock.now()).toBe(600)
      await line.caller.hears()
      const missed = expect(line.caller.hears('evening')).rejects.toThrow("before the caller heard 'evening'")
      await scope.close()
      await missed
    }))
})
