import { describe, expect, it } from 'vitest'
import { muLaw, pcm, sine, toneLevel, concat, type AudioFrame } from '../../../src/audio/index.ts'
import type { Stt } from '../../../src/parts/index.ts'
import { Agent, Session } from '../../../src/session/index.ts'
import {
  ScriptedFilter,
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedTts,
  TestLine,
  inVirtualTime,
  type ScriptedFilterOptions,
  type TestLineOptions,
  type World,
} from '../../../src/testing/index.ts'

/** A live session with a filter, and everything that its STT hears. */
async function aFilteredCall(
  { clock, random }: World,
  filterOptions: ScriptedFilterOptions = {},
  lineOptions: TestLineOptions = {},
) {
  const heard: AudioFrame[] = []
  const filter = new ScriptedFilter(filterOptions)
  const line = new TestLine(lineOptions)
  const stt: Stt = {
    name: 'stt',
    hears: [pcm(8_000), pcm(16_000), muLaw],
    endsTurns: true,
    open: async () => ({ push: (frame) => heard.push(frame), flush() {}, configure() {}, detach() {} }),
  }
  const session = new Session({
    agent: new Agent({ instructions: '' }),
    models: { stt, llm: new ScriptedLlm(), tts: new ScriptedTts(), filter },
    line,
    clock,
    random,
  })
  const errors: string[] = []
  session.on('error', ({ where, error }) => errors.push(`${where}: ${(error as Error).message}`))
  await session.start()
  return { session, filter, line, heard, errors }
}

const tone = sine(300, { sampleRate: 16_000, duration: 100 })
const quieter = ({ samples, sampleRate }: AudioFrame): AudioFrame => ({
  samples: samples.map((sample) => sample / 2),
  sampleRate,
})

describe('a filter', () => {
  it('[PT5] changes what the models hear, one frame for each', () =>
    inVirtualTime(async (world) => {
      const { session, line, heard, errors } = await aFilteredCall(world, { filter: quieter })
      await line.caller.says([tone])
      expect(concat(heard, 16_000)).toEqual(quieter(tone))
      expect((await session.close()).clean).toBe(true)
      expect(errors).toEqual([])
    }))

  it('[PT5] may take time for a frame, and keeps the order', () =>
    inVirtualTime(async (world) => {
      const options: ScriptedFilterOptions = { takes: 50, filter: quieter }
      const { session, line, heard } = await aFilteredCall(world, options)
      await line.caller.says([tone])
      expect(heard).toHaveLength(2)
      delete options.takes
      await line.caller.says([tone])
      await world.clock.elapse(50)
      expect(concat(heard, 16_000)).toEqual(concat([quieter(tone), quieter(tone)], 16_000))
      await session.close()
    }))

  it('[PT1] [PT5] gets a format that it hears, and the models the nearest to that', () =>
    inVirtualTime(async (world) => {
      const { session, line, filter, heard } = await aFilteredCall(
        world,
        { hears: [pcm(16_000)] },
        { hears: pcm(8_000) },
      )
      await line.caller.says([sine(300, { sampleRate: 8_000, duration: 200 })])
      expect(new Set(filter.frames.map(({ sampleRate }) => sampleRate))).toEqual(new Set([16_000]))
      expect(toneLevel(concat(heard, 16_000), 300)).toBeGreaterThan(-10)
      await session.close()
    }))

  it.each<[string, ScriptedFilterOptions, string]>([
    ['throws', { fails: new Error('out of memory') }, 'filter: out of memory'],
    [
      'returns something else',
      { filter: () => 'noise' as never },
      'filter: the filter called filter() with string instead of frame; the event was ignored',
    ],
    [
      'returns a frame of another length',
      { filter: ({ sampleRate }) => ({ samples: new Int16Array(1), sampleRate }) },
      'filter: the filter called filter() with object instead of frame; the event was ignored',
    ],
    [
      'never returns a frame',
      { hangs: true },
      'filter: the filter took longer than 200 ms: raise the limit, or use a faster model',
    ],
  ])('[PT5] that %s is bypassed and reported once, and no sound is lost', (_, fault, error) =>
    inVirtualTime(async (world) => {
      const options: ScriptedFilterOptions = {}
      const { session, line, heard, errors, filter } = await aFilteredCall(world, options)
      await line.caller.says([tone])
      Object.assign(options, fault)
      for (let i = 0; i < 5; i++) await line.caller.says([tone])
      expect(errors).toEqual([error])
      expect(concat(heard, 16_000).samples).toHaveLength(6 * tone.samples.length)
      expect(filter.frames.length).toBeLessThan(30)
      expect(session.state).toBe('live')
      expect(await session.close()).toMatchObject({ reason: 'requested', errorCount: 1 })
    }),
  )

  it('[PT5] holds no sound back when the session closes', () =>
    inVirtualTime(async (world) => {
      const { session, line, heard } = await aFilteredCall(world, { hangs: true })
      await line.caller.says([tone])
      expect(heard).toHaveLength(0)
      await session.close()
      expect(concat(heard, 16_000)).toEqual(tone)
    }))

  it('[PT5] stands before a realtime model, too', () =>
    inVirtualTime(async ({ clock, random }) => {
      const filter = new ScriptedFilter()
      const realtime = new ScriptedRealtime()
      const line = new TestLine()
      const agent = new Agent({ instructions: '' })
      const session = new Session({ agent, models: { realtime, filter }, line, clock, random })
      const said: string[] = []
      session.on('user', ({ text }) => said.push(text))
      await session.start()
      await line.caller.says('Hello')
      await line.caller.pauses(400)
      expect(said).toEqual(['Hello'])
      expect(filter.frames.length).toBeGreaterThan(10)
      await session.close()
    }))
})
