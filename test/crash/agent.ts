import { webhook, type AgentFile } from '../../src/host/index.ts'
import { Agent } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts, type SttStep } from '../../src/testing/index.ts'

// The agent file of the hosts. It talks all the time: it greets, answers what is typed, and hears something every few
// seconds, whatever the caller says.

const receiver = process.env['CRASH_RECEIVER'] ?? 'http://127.0.0.1:9'
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const send = (handler: string) => webhook({ url: `${receiver}/${handler}`, secret, timeout: 1_500 })

const GREETING =
  'Good morning, this is Bright Dental. I am going to tell you all about our opening hours today.'
const ANSWER = 'We are open from eight in the morning until six in the evening, every day of the week.'

const turns = Array.from({ length: 500 }, (): SttStep[] => [
  { after: 4_000, interim: 'and then' },
  { after: 100, final: 'and then?' },
  { endOfTurn: true },
]).flat()

export default {
  name: 'Crash',
  agent: () =>
    new Agent({
      name: 'desk',
      instructions: '',
      onEnter: ({ session }) => {
        session.say(GREETING)
      },
    }),
  models: () => ({
    stt: new ScriptedStt({ script: turns, endsTurns: true }),
    llm: new ScriptedLlm({ answers: () => ANSWER }),
    tts: new ScriptedTts({ msPerCharacter: 40, speed: 3 }),
  }),
  session: { turns: { mode: 'stt', vad: false } },
  afterCall: { crm: send('crm'), audit: send('audit') },
  afterCallTimeout: 5_000,
} satisfies AgentFile
