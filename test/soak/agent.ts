import { pcm } from '../../src/audio/index.ts'
import { webhook, type AgentFile } from '../../src/host/index.ts'
import type { Stt } from '../../src/parts/index.ts'
import { Agent } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts } from '../../src/testing/index.ts'
import { Ear } from '../../src/testing/servers/ear.ts'

// The agent file of the host under test. The agent greets, answers whatever is said or typed, and can be interrupted.

const receiver = process.env['CRASH_RECEIVER'] ?? 'http://127.0.0.1:9'
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const send = (handler: string) => webhook({ url: `${receiver}/${handler}`, secret, timeout: 1_500 })

const GREETING = 'Good morning, this is Bright Dental. What can I do for you today?'
const ANSWER = 'We are open from eight in the morning until six in the evening, every day of the week.'
/** Milliseconds of silence that end a turn. */
const PATIENCE = 200

/** Hears when somebody speaks, and takes every sound for the same question. */
const stt: Stt = {
  name: 'ear',
  hears: [pcm(16_000)],
  endsTurns: true,
  open: async (_context, events) => {
    const ear = new Ear({ sampleRate: 16_000, understands: () => 'When are you open?' })
    ear.patience = () => PATIENCE
    return {
      push: ({ samples }) =>
        ear.hear(samples, {
          started: () => events.interim('When are you'),
          stopped: (_at, { text }) => {
            events.final(text)
            events.endOfTurn()
          },
        }),
      flush() {},
      configure() {},
      detach() {},
    }
  },
}

export default {
  name: 'Soak',
  agent: () =>
    new Agent({
      name: 'desk',
      instructions: '',
      onEnter: ({ session }) => {
        session.say(GREETING)
      },
    }),
  models: () => ({
    stt,
    llm: new ScriptedLlm({ answers: () => ANSWER }),
    tts: new ScriptedTts({ msPerCharacter: 40 }),
  }),
  session: { turns: { mode: 'stt', vad: false } },
  afterCall: { crm: send('crm'), audit: send('audit') },
  afterCallTimeout: 5_000,
} satisfies AgentFile
