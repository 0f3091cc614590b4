import { describe, expect, it } from 'vitest'
import { Transcripts } from './transcripts.ts'

function listen(): { readonly transcripts: Transcripts; readonly log: string[] } {
  const log: string[] = []
  const transcripts = new Transcripts({
    interim: (text, item) => log.push(`${item}: ${text}…`),
    final: (text, item, complete) => log.push(`${item}: ${text}${complete ? '' : ' ?'}`),
    failed: ({ code }) => log.push(`failed ${code}`),
  })
  return { transcripts, log }
}

const kind = 'conversation.item.input_audio_transcription'

describe('transcripts', () => {
  it('are emitted in the order of speaking', () => {
    const { transcripts, log } = listen()
    for (const item of ['a', 'b', 'c']) transcripts.expect(item)
    transcripts.handle({ type: `${kind}.delta`, item_id: 'b', delta: 'tw' })
    transcripts.handle({ type: `${kind}.completed`, item_id: 'c', transcript: 'three ' })
    transcripts.handle({ type: `${kind}.delta`, item_id: 'a', delta: 'on' })
    transcripts.handle({ type: `${kind}.failed`, item_id: 'a', error: { code: 'busy' } })
    transcripts.handle({ type: `${kind}.delta`, item_id: 'b', delta: 'o' })
    expect(transcripts.size).toBe(2)
    transcripts.handle({ type: `${kind}.completed`, item_id: 'b', transcript: 'two' })
    expect(log).toEqual(['a: on…', 'failed busy', 'a: on ?', 'b: tw…', 'b: two…', 'b: two', 'c: three'])
    expect(transcripts.size).toBe(0)
  })

  it('become final with the text received so far when no more will arrive', () => {
    const { transcripts, log } = listen()
    transcripts.expect('a')
    transcripts.expect('b')
    transcripts.handle({ type: `${kind}.delta`, item_id: 'a', delta: 'hel' })
    transcripts.finishAll()
    expect(log).toEqual(['a: hel…', 'a: hel ?', 'b:  ?'])
  })

  it('[SC18] are awaited for at most eight turns', () => {
    const { transcripts, log } = listen()
    for (let i = 1; i <= 10; i++) transcripts.expect(`t${i}`)
    expect(log).toEqual(['t1:  ?', 't2:  ?'])
    expect(transcripts.size).toBe(8)
  })
})
