import { describe, expect, it } from 'vitest'
import { Agent, Session } from '../../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts, TestLine, inVirtualTime } from '../../../src/testing/index.ts'
import { aLiveCall, expectEnded } from '../fixture.ts'

describe('the STT of a session', () => {
  it('[PT3] is opened with the key terms of the first agent, and configured with those of the next', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { agent: { keyTerms: ['Bright Dental'] } })
      const { session, stt } = call
      const next = (name: string, keyTerms?: string[]): Agent =>
        new Agent({ name, instructions: 'You bill.', ...(keyTerms && { keyTerms }) })
      await session.handOff(next('same', ['Bright Dental']))
      await session.handOff(next('billing', ['IBAN', 'SEPA']))
      await session.handOff(next('none'))
      expect(stt.setups.map(({ keyTerms }) => keyTerms)).toEqual([['Bright Dental'], ['IBAN', 'SEPA'], []])
      await session.close()
      expectEnded(call)
    }))

  it('[PT3] passes on what it knows about a text', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      const { session, stt } = call
      const transcribed: unknown[] = []
      session.on('transcribed', (event) => transcribed.push(event))
      const words = [{ text: 'Hello', start: 100, end: 400, confidence: 0.9 }]
      stt.final('Hello', { words, language: 'en', speaker: '1', confidence: 0.9 })
      stt.final('you', 'nonsense' as never)
      expect(transcribed).toEqual([
        { text: 'Hello', words, language: 'en', speaker: '1', confidence: 0.9 },
        { text: 'you' },
      ])
      await session.close()
      expectEnded(call)
    }))

  it('[PT4] counts what its vendor charges for', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      call.stt.usage({ audioSeconds: 12 })
      call.stt.usage({ audioSeconds: 3 })
      await call.session.close()
      expect(expectEnded(call).usage).toMatchObject({ audioSeconds: 15 })
    }))

  it('[PT2] takes turns without a VAD, and begins replies early', () =>
    inVirtualTime(async ({ clock, random }) => {
      const stt = new ScriptedStt({ endsTurns: true })
      const llm = new ScriptedLlm({ answers: ['Good morning.', 'You are welcome.'] })
      const line = new TestLine()
      const session = new Session({
        agent: new Agent({ instructions: '' }),
        models: { stt, llm, tts: new ScriptedTts() },
        turns: { preemptive: true },
        line,
        clock,
        random,
      })
      await session.start()
      stt.started()
      stt.interim('Hello.')
      stt.maybeEndOfTurn()
      await clock.elapse(10)
      expect(llm.requests).toHaveLength(1)
      stt.resumed()
      stt.interim('Hello. Thank you.')
      stt.maybeEndOfTurn()
      await clock.elapse(10)
      stt.final('Hello. Thank you.')
      stt.endOfTurn()
      await line.caller.hears('You are welcome.')
      expect(llm.requests).toHaveLength(2)
      await session.close()
    }))
})

describe('the voice of a session', () => {
  it('[PT4] counts characters and seconds, also of speech that was interrupted', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      const { session } = call
      await session.say('Good morning.').waitForPlayout()
      const speech = session.say('How are you?')
      await call.caller.hears('How')
      speech.interrupt()
      await speech.waitForPlayout()
      await session.close()
      const spoken = { characters: 25, spokenSeconds: 1.26 }
      const models = { tts: spoken }
      expect(expectEnded(call).usage).toEqual({ ...spoken, toolCalls: 0, turns: 0, models })
    }))
})
