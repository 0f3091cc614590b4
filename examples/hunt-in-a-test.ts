// A hunt in a test: `npx tsx examples/hunt-in-a-test.ts`.
// #region shown
import assert from 'node:assert/strict'
import { Agent, tool } from 'endwell'
import { ScriptedLlm, ScriptedTts, hunt } from 'endwell/testing'

const agent = new Agent({
  name: 'desk',
  instructions: 'You answer the phone for Bright Dental.',
  tools: {
    findSlot: tool({
      description: 'Find a free appointment',
      run: async (_, { signal }) => {
        const response = await fetch('https://slots.example/next', { signal })
        return response.text()
      },
    }),
  },
})

const models = () => ({ llm: new ScriptedLlm(), tts: new ScriptedTts() })
const result = await hunt({ name: 'Bright Dental', agent, models }, { moments: 3 })
assert.deepEqual(result.findings, [])
console.log(`${result.cases.length} calls ended well`)
// #endregion
