import { describe, expect, it } from 'vitest'
import { Transcripts } from './transcripts.ts'

function listen(): { readonly transcripts: Transcripts; readonly told: string[] } {
  const told: string[] = []
  const transcripts = new Transcripts({
    interim: (text, item) => told.push(`${item}: ${text}…`),
    final: (text, item, known) => told.push(`${item}: ${text}${known ? '' : ' ?'}`),
    failed: ({ code }) => told.push(`failed ${code}`),
  })
  return { transcripts, told }
}

const kind = 'conversation.item.input_audio_transcription'

describe('the words of turns', () => {
  it('come in the order of speaking', () => {
    const { transcripts, told } = listen()
    for (const item of ['a', 'b', 'c']) transcripts.expect(item)
    transcripts.heard({ type: `${kind}.delta`, item_id: 'b', delta: 'tw' })
    transcripts.heard({ type: `${kind}.completed`, item_id: 'c', transcript: 'three ' })
    transcripts.heard({ type: `${kind}.delta`, item_id: 'a', delta: 'on' })
    transcripts.heard({ type: `${kind}.failed`, item_id: 'a', error: { code: 'busy' } })
    transcripts.heard({ type: `${kind}.delta`, item_id: 'b', delta: 'o' })
    expect(transcripts.size).toBe(2)
    transcripts.heard({ type: `${kind}.completed`, item_id: 'b', transcript: 'two' })
    expect(told).toEqual(['a: on…', 'failed busy', 'a: on ?', 'b: tw…', 'b: two…', 'b: two', 'c: three'])
    expect(transcripts.size).toBe(0)
  })

  it('are final as far as they are known when no more will come', () => {
    const { transcripts, told } = listen()
    transcripts.expect('a')
    transcripts.expect('b')
    transcripts.heard({ type: `${kind}.delta`, item_id: 'a', delta: 'hel' })
    transcripts.giveUp()
    expect(told).toEqual(['a: hel…', 'a: hel ?', 'b:  ?'])
  })

  it('[SC18] are not waited for by more than a few turns', () => {
    const { transcripts, told } = listen()
    for (let i = 1; i <= 10; i++) transcripts.expect(`t${i}`)
    expect(told).toEqual(['t1:  ?', 't2:  ?'])
    expect(transcripts.size).toBe(8)
  })
})
