import type { AgentFile } from '../../src/host/index.ts'
import { Agent, tool } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts, callTool } from '../../src/testing/index.ts'

// An agent file whose agent never stops talking, and blocks its event loop in the way that a page types.

const words = 'We are open every day of the week and we are glad that you have called us today. '

async function block(kind: string): Promise<string> {
  const module = (await import(process.env['CRASH_BLOCKS'] ?? '')) as Record<string, () => unknown>
  await module[kind]?.()
  return 'went on'
}

export default {
  name: 'Blocking',
  agent: () =>
    new Agent({
      name: 'desk',
      instructions: '',
      tools: {
        block: tool({
          description: 'Blocks the event loop.',
          parameters: { type: 'object', properties: { kind: { type: 'string' } } },
          run: ({ kind }) => block(String(kind)),
        }),
      },
      onEnter: ({ session }) => {
        session.say(words.repeat(30))
      },
      onResume: ({ session }) => {
        session.say(words.repeat(30))
      },
    }),
  models: () => ({
    llm: new ScriptedLlm({
      answers: ({ messages }) => {
        const last = messages.at(-1)
        return last?.role === 'user' ? [callTool('block', { kind: last.text })] : words
      },
    }),
    tts: new ScriptedTts({ msPerCharacter: 40, speed: 2 }),
  }),
} satisfies AgentFile
