import type { AgentFile } from '../../src/host/index.ts'
import { Agent } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts } from '../../src/testing/index.ts'

/** Greets, answers what is typed, and has one piece of work after each call. */
export default {
  name: 'Bench',
  agent: () =>
    new Agent({
      name: 'desk',
      instructions: '',
      onEnter: ({ session }) => {
        session.say('Good morning.')
      },
    }),
  models: () => ({
    stt: new ScriptedStt({ endsTurns: true }),
    llm: new ScriptedLlm({ answers: () => 'We are open from eight to six.' }),
    tts: new ScriptedTts({ msPerCharacter: 40 }),
  }),
  session: { turns: { mode: 'stt', vad: false } },
  afterCall: { save: () => {} },
} satisfies AgentFile
