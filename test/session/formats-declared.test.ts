import { describe, expect, it } from 'vitest'
import { pcm, type AudioFormat } from '../../src/audio/index.ts'
import { Agent, Session } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts, ScriptedVad, TestLine } from '../../src/testing/index.ts'

const agent = new Agent({ instructions: '' })
const line = new TestLine()
const others = { llm: new ScriptedLlm(), tts: new ScriptedTts(), vad: new ScriptedVad() }

describe('a part of the user', () => {
  it('[PT1] may inherit the formats that it declares, or have a getter for them', () => {
    const scripted = new ScriptedStt()
    class Own {
      readonly name = 'own'
      get hears(): readonly AudioFormat[] {
        return [pcm(8_000)]
      }
      open: ScriptedStt['open'] = (...args) => scripted.open(...args)
    }
    const inheriting = Object.create(scripted) as ScriptedStt
    for (const stt of [new Own(), inheriting])
      expect(() => new Session({ agent, line, models: { ...others, stt } })).not.toThrow()
  })

  it('[PT1] has to declare its formats', () => {
    const scripted = new ScriptedStt()
    const stt = { name: 'own', open: scripted.open.bind(scripted) } as unknown as ScriptedStt
    expect(() => new Session({ agent, line, models: { ...others, stt } })).toThrow(
      'stt does not declare its formats: set hears',
    )
  })
})
