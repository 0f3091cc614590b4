// A speaking clock. `npx endwell dev examples/clock.ts` lets you talk to it in the browser.
import { Agent, tool } from 'endwell'
import type { AgentFile } from 'endwell/host'
import { LocalStt, LocalTts, LocalVad, ScriptedDialogue } from 'endwell/providers/local'

// What it understands without a language model. Set OPENAI_API_KEY or GEMINI_API_KEY to use one instead.
const dialogue = new ScriptedDialogue({
  intents: {
    time: { says: ['what time is it', '[tell me] the time'], call: 'readClock', answer: '{result}' },
    bye: { says: ['goodbye', 'thank you'], call: 'hangUp' },
  },
})

export default {
  name: 'Speaking clock',
  agent: new Agent({
    name: 'clock',
    instructions: 'You are the speaking clock. Say what time it is, and nothing else.',
    onEnter: ({ session }) => session.say('Hello! Ask me what time it is.'),
    tools: {
      readClock: tool({
        description: 'The time of day',
        run: () => `It is ${new Intl.DateTimeFormat('en', { timeStyle: 'short' }).format()}.`,
      }),
      hangUp: tool({
        description: 'End the call, when the caller says goodbye',
        run: (_, { hangUp }) => hangUp({ say: 'Goodbye!' }),
      }),
    },
  }),
  models: () => ({
    stt: new LocalStt({ phrases: dialogue.phrases }),
    vad: new LocalVad(),
    llm: dialogue,
    tts: new LocalTts(),
  }),
  phrases: ['What time is it?', 'Goodbye.'],
} satisfies AgentFile
