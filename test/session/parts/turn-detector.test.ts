import { describe, expect, it } from 'vitest'
import { concat, durationOf, level, pcm, type AudioFrame } from '../../../src/audio/index.ts'
import { Agent, Session } from '../../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedStt,
  ScriptedTts,
  ScriptedTurnDetector,
  ScriptedVad,
  TestLine,
  inVirtualTime,
} from '../../../src/testing/index.ts'

describe('a turn detector', () => {
  it('[PT6] that hears gets the sound of the turn, from shortly before it', () =>
    inVirtualTime(async ({ clock, random }) => {
      const turnDetector = new ScriptedTurnDetector({ hears: [pcm(8_000), pcm(48_000)] })
      const line = new TestLine({ streams: true })
      const session = new Session({
        agent: new Agent({ instructions: '' }),
        models: {
          llm: new ScriptedLlm({ answers: ['Yes.', 'Yes.', 'Yes.'] }),
          stt: new ScriptedStt({ finalOn: 'flush' }),
          tts: new ScriptedTts(),
          vad: new ScriptedVad(),
          turnDetector,
        },
        line,
        clock,
        random,
      })
      await session.start()
      await clock.elapse(5_000)
      const sounds: AudioFrame[] = []
      for (const [text, pause] of [
        ['one two.', 5_000],
        ['one', 400],
        ['two', 400],
        ['a much longer turn that lasts '.repeat(8), 5_000],
      ] as const) {
        await line.caller.says(text)
        await clock.elapse(pause)
        sounds.push(concat(turnDetector.last?.sound ?? [], 48_000))
      }
      const [first, one, oneTwo, last] = sounds.map(durationOf)
      // 0.5 s before the turn, its 0.4 s, and the silence until the VAD noticed its end.
      expect(first).toBeGreaterThan(900)
      expect(first).toBeLessThan(1_300)
      expect(level(sounds[0]!.samples.subarray(0, 48 * 400))).toBeLessThan(-60)
      // A pause within a turn does not begin another one.
      expect(oneTwo).toBeGreaterThan(one! + 300)
      expect(last).toBeLessThanOrEqual(8_020)
      expect(last).toBeGreaterThan(7_900)
      await session.close()
    }))

  it('[PT6] that judges by the words alone gets no sound', () =>
    inVirtualTime(async ({ clock, random }) => {
      const turnDetector = new ScriptedTurnDetector()
      const line = new TestLine({ streams: true })
      const models = {
        llm: new ScriptedLlm({ answers: ['Yes.'] }),
        stt: new ScriptedStt({ finalOn: 'flush' }),
        tts: new ScriptedTts(),
        vad: new ScriptedVad(),
        turnDetector,
      }
      const session = new Session({ agent: new Agent({ instructions: '' }), models, line, clock, random })
      await session.start()
      await line.caller.says('one two.')
      await clock.elapse(2_000)
      expect(turnDetector.last).toEqual({ text: 'one two.', sound: [] })
      await session.close()
    }))
})
