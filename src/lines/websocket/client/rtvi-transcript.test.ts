import { describe, expect, it } from 'vitest'
import { RtviTranscript, type RtviMessage } from './rtvi-transcript.ts'

const heard = (segment: number, text: string): RtviMessage => ({
  type: 'bot-output',
  data: { segment_id: segment, spoken_progress: { accumulated_text: text } },
})

const said = (text: string, final: boolean): RtviMessage => ({
  type: 'user-transcription',
  data: { text, final, timestamp: '2026-11-18T00:00:00.000Z' },
})

/** The transcript after these messages, as texts. */
function after(messages: readonly RtviMessage[]): { entries: string[]; interim: string } {
  const transcript = new RtviTranscript()
  let last = { entries: [] as string[], interim: '' }
  for (const message of messages) {
    const next = transcript.read(message, 1)
    if (!next) continue
    const entries = next.entries.map(
      ({ by, text, interrupted }) => `${by}: ${text}${interrupted ? ' (cut)' : ''}`,
    )
    last = { entries, interim: next.interim }
  }
  return last
}

describe('a transcript from RTVI messages', () => {
  it('[LN17] has what the caller said, and the sentences of the agent as far as they were heard', () => {
    const messages = [
      heard(1, ''),
      heard(2, ''),
      heard(1, 'Good'),
      heard(1, 'Good morning!'),
      heard(2, 'How can'),
      { type: 'bot-stopped-speaking' },
      said('what are', false),
      said('what are your hours', true),
      heard(3, 'We are open.'),
    ]
    expect(after(messages)).toEqual({
      entries: ['agent: Good morning! How can', 'caller: what are your hours', 'agent: We are open.'],
      interim: '',
    })
    expect(after(messages.slice(0, 7))).toEqual({
      entries: ['agent: Good morning! How can'],
      interim: 'what are',
    })
  })

  it('[LN17] marks an agent that was interrupted, and begins another entry after that', () => {
    const messages = [heard(1, 'Good mor'), { type: 'bot-interrupted' }, heard(2, 'Yes?')]
    expect(after(messages).entries).toEqual(['agent: Good mor (cut)', 'agent: Yes?'])
  })

  it('[LN17] does not change by messages that it does not know', () => {
    const transcript = new RtviTranscript()
    for (const type of ['metrics', 'bot-interrupted', 'bot-output', 'bot-stopped-speaking'])
      expect(transcript.read({ type }, 1)).toBeUndefined()
  })
})
