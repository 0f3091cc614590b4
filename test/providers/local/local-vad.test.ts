import { describe, expect, it } from 'vitest'
import { conformance, vadConformance } from '../../../src/testing/index.ts'
import { clip, framesOf } from '../../fixtures/speech.ts'
import { LocalVad } from '../../../src/providers/local/local-vad.ts'

conformance({ describe, it }, 'the local VAD', vadConformance, () => ({
  vad: new LocalVad(),
  speech: (ms) => framesOf(clip('what are your opening hours').samples).slice(0, ms / 20),
}))

describe('the local VAD', () => {
  it.each(['margin', 'minSpeech', 'hangover'])('refuses an invalid %s', (option) => {
    expect(() => new LocalVad({ [option]: 0 })).toThrow(option)
    expect(() => new LocalVad({ [option]: Number.NaN })).toThrow(option)
  })
})
