import { describe, expect, it } from 'vitest'
import type { TurnDetector, Vad } from '../../src/parts/index.ts'
import { OptionError } from '../../src/scope/index.ts'
import { Agent, Session, type SessionTurnOptions } from '../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  inVirtualTime,
} from '../../src/testing/index.ts'

/** Counts how often it is asked. */
class CountingDetector implements TurnDetector {
  readonly name = 'detector'
  asked = 0

  async open() {
    return { finished: async () => ++this.asked }
  }
}

describe('turns by default', () => {
  it.each<[string, Vad[]]>([
    ['without a VAD', []],
    ['with a VAD', [new ScriptedVad()]],
  ])('[PT2] are ended by an STT that ends turns, %s', (_, [vad]) =>
    inVirtualTime(async ({ clock, random }) => {
      const stt = new ScriptedStt({ endsTurns: true })
      const line = new TestLine()
      const session = new Session({
        agent: new Agent({ instructions: 'You answer the phone.' }),
        models: {
          llm: new ScriptedLlm({ answers: ['At eight.'] }),
          stt,
          tts: new ScriptedTts(),
          ...(vad && { vad }),
        },
        line,
        clock,
        random,
      })
      const said: string[] = []
      session.on('user', ({ text }) => said.push(text))
      await session.start()
      await line.caller.says(200)
      await stt.hear('When do you open?')
      // At once, although the VAD still hears the caller.
      await clock.elapse(10)
      expect(said).toEqual(['When do you open?'])
      await session.close()
    }),
  )

  it.each<[string, SessionTurnOptions, number]>([
    ['by default', {}, 1],
    ['with dynamic endpointing', { endpointing: { mode: 'dynamic', maxDelay: 2_000 } }, 1],
    ['with detector: false', { endpointing: { mode: 'dynamic', detector: false } }, 0],
  ])('ask the turn detector: %s', (_, turns, asked) =>
    inVirtualTime(async ({ clock, random }) => {
      const turnDetector = new CountingDetector()
      const line = new TestLine()
      const session = new Session({
        agent: new Agent({ instructions: 'You answer the phone.' }),
        models: {
          llm: new ScriptedLlm({ answers: ['At eight.'] }),
          stt: new ScriptedStt({ finalOn: 'flush' }),
          tts: new ScriptedTts(),
          vad: new ScriptedVad(),
          turnDetector,
        },
        line,
        turns,
        clock,
        random,
      })
      await session.start()
      await line.caller.says('When do you open?')
      await line.caller.pauses(4_000)
      await line.caller.hears('At eight.')
      expect(turnDetector.asked).toBe(asked)
      await session.close()
    }),
  )

  it('are rejected if nothing detects the end of a turn', () => {
    const models = { llm: new ScriptedLlm(), tts: new ScriptedTts(), stt: new ScriptedStt() }
    const agent = new Agent({ instructions: 'You answer the phone.' })
    const make = (turns: SessionTurnOptions) => () =>
      new Session({ agent, models, line: new TestLine(), turns })
    expect(make({})).toThrow("nothing detects the end of the user's turn")
    expect(make({ mode: 'stt' })).toThrow(OptionError)
    expect(make({ vad: true })).toThrow(OptionError)
    expect(make({ mode: 'vad' })).toThrow("turns cannot have mode 'vad' without a VAD")
    expect(make({ mode: 'manual' })).not.toThrow()
  })

  it('are rejected if there is a turn detector and a fixed delay', () => {
    const models = { llm: new ScriptedLlm(), tts: new ScriptedTts(), turnDetector: new CountingDetector() }
    const agent = new Agent({ instructions: 'You answer the phone.' })
    const make = () =>
      new Session({ agent, models, line: new TestLine(), turns: { endpointing: { delay: 300 } } })
    expect(make).toThrow(OptionError)
  })
})
