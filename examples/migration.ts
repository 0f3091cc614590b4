// The agent of docs/from-livekit.md, docs/from-pipecat.md and docs/from-openai-agents.md. Running it rehearses the agent, without a
// key: npm run build && npx tsx examples/migration.ts
import { openai } from '@ai-sdk/openai'
import { Agent, tool } from 'endwell'
import type { AgentFile } from 'endwell/host'
import { AiSdkLlm } from 'endwell/providers/ai-sdk'
import { CartesiaTts } from 'endwell/providers/cartesia'
import { DeepgramFluxStt } from 'endwell/providers/deepgram'
import { OpenAIRealtime } from 'endwell/providers/openai'
import { callTool, noLeaks, rehearse } from 'endwell/testing'
import { z } from 'zod'

const calendar = {
  firstFree: async (day: string, { signal }: { signal: AbortSignal }): Promise<string> => {
    signal.throwIfAborted()
    return `${day} at ten`
  },
}
const records = { save: async (id: string, items: number): Promise<string> => `${id}: ${items} items` }

// #region agent
/** Creates the agents of one call. The state of the call is a variable of this function. */
function reception(): Agent {
  const call: { patient?: string } = {}

  const billing = new Agent({
    name: 'billing',
    instructions: 'You are the billing office of Bright Dental.',
    onEnter: ({ session }) => session.reply(),
  })

  return new Agent({
    name: 'reception',
    instructions: 'You answer the phone for Bright Dental. Be brief.',
    onEnter: ({ session }) => session.say('Bright Dental, good morning!'),
    tools: {
      findSlot: tool({
        description: 'Find a free appointment',
        input: z.object({ patient: z.string(), day: z.string() }),
        run: ({ patient, day }, { say, signal }) => {
          call.patient = patient
          say('Let me look.')
          return calendar.firstFree(day, { signal })
        },
      }),
      toBilling: tool({ description: 'Put the caller through to billing', run: () => billing }),
      goodbye: tool({
        description: 'Say goodbye and hang up',
        run: (_, { hangUp }) => hangUp({ say: `Goodbye, ${call.patient ?? 'and thank you'}!` }),
      }),
    },
  })
}
// #endregion

// #region pipeline
export default {
  name: 'Bright Dental',
  agent: reception,
  models: () => ({
    stt: new DeepgramFluxStt(),
    llm: new AiSdkLlm(openai('gpt-5.4-mini')),
    tts: new CartesiaTts({ voice: '9626c31c-bec5-4cca-baa8-f8ba9e84c8bc' }),
  }),
  session: { idleTimeout: 60_000 },
  afterCall: {
    save: (report) => records.save(report.id, report.transcript.length),
  },
} satisfies AgentFile
// #endregion

// #region realtime
export const withRealtimeModel = {
  name: 'Bright Dental',
  agent: reception,
  models: () => ({ realtime: new OpenAIRealtime({ voice: 'marin' }) }),
  afterCall: {
    save: (report) => records.save(report.id, report.transcript.length),
  },
} satisfies AgentFile
// #endregion

// #region test
const nothingLeft = noLeaks()
const call = await rehearse(reception(), {
  answers: [
    [callTool('findSlot', { patient: 'Ada', day: 'Monday' })],
    'Monday at ten is free.',
    [callTool('toBilling')],
    'Billing. How can I help?',
  ],
})
call.greeting.expect.message('good morning')
const asked = await call.run('It is Ada. Is there anything on Monday?')
asked.expect.toolCall('findSlot', { day: 'Monday' }, 'Monday at ten').message('Let me look.')
const put = await call.run('And my bill?')
put.expect.handoff('billing').message('Billing.')
await call.hangsUp()
nothingLeft()
// #endregion
