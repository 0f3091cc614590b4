import { describe, expect, it } from 'vitest'
import type { AudioFrame } from '../../src/audio/index.ts'
import { LocalStt, LocalTts, LocalVad, ScriptedDialogue } from '../../src/providers/local/index.ts'
import { Agent, Session, tool } from '../../src/session/index.ts'
import { TestLine } from '../../src/testing/index.ts'
import { clinic } from '../fixtures/clinic.ts'
import { clip } from '../fixtures/speech.ts'

describe('a session with local models only', () => {
  it('understands and answers recorded speech, and ends when the caller says goodbye', async () => {
    const dialogue = new ScriptedDialogue(clinic)
    const stt = new LocalStt({ phrases: dialogue.phrases })
    const line = new TestLine({ streams: true })
    const agent = new Agent({
      instructions: 'You answer the phone for Bright Dental.',
      tools: {
        book: tool({ description: 'Books an appointment', run: (input) => input }),
        hangUp: tool({ description: 'Ends the call', run: (_, { hangUp }) => hangUp({ say: 'Bye.' }) }),
      },
    })
    const session = new Session({
      agent,
      line,
      models: {
        llm: dialogue,
        stt,
        vad: new LocalVad(),
        tts: new LocalTts({ speed: 3 }),
      },
      turns: { endpointing: { delay: 200 } },
    })
    const closed = new Promise((resolve) => {
      session.on('closed', resolve)
    })
    await session.start()
    const spoken = (text: string) =>
      new Promise<void>((resolve) => {
        session.on('spoken', ({ outcome }) => outcome.heard.startsWith(text) && resolve())
      })
    for (const [says, hears] of [
      ['book an appointment', 'Which day'],
      ['on friday at half past two', 'Done.'],
    ] as const) {
      const heard = spoken(hears)
      await line.caller.says(recording(says))
      await heard
    }
    await line.caller.says(recording('goodbye'))
    await closed

    const report = await session.close()
    expect(report).toMatchObject({ reason: 'agent-hung-up', clean: true })
    expect(session.history.toMessages().filter(({ role }) => role !== 'tool-result')).toMatchObject([
      { role: 'user', text: 'book an appointment' },
      { role: 'agent', text: 'Which day would suit you?' },
      { role: 'user', text: 'on friday at half past two' },
      { role: 'agent', text: 'One moment please.' },
      { role: 'tool-call', name: 'book', input: '{"day":"Friday","time":"2:30 pm"}' },
      { role: 'agent', text: 'Done. You are booked for Friday at 2:30 pm.' },
      { role: 'user', text: 'goodbye' },
      { role: 'tool-call', name: 'hangUp' },
      { role: 'agent', text: 'Bye.' },
    ])
    expect(line.audibleAfterClosing).toBe(0)
  })
})

const recording = (text: string): AudioFrame[] => [{ samples: clip(text).samples, sampleRate: 16_000 }]
