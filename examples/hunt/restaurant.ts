import type { AgentFile } from 'endwell/host'
import { LocalStt, LocalTts, LocalVad, ScriptedDialogue, days } from 'endwell/providers/local'
import { systemClock } from 'endwell/scope'

/** What the restaurant understands without a language model. */
const dialogue = new ScriptedDialogue({
  slots: { day: days },
  intents: {
    table: { says: ['[i would like] a table [on {day}]'], call: 'findTable', answer: '{result}' },
    taxi: { says: ['[i need] a taxi'], call: 'orderTaxi', answer: '{result}' },
    bye: { says: ['goodbye', 'that is all'], call: 'goodbye' },
  },
})

/** Everything about the restaurant but its agent. */
export const restaurant = {
  name: 'Trattoria Da Rosa',
  models: () => ({
    stt: new LocalStt({ phrases: dialogue.phrases }),
    vad: new LocalVad(),
    llm: dialogue,
    tts: new LocalTts(),
  }),
  phrases: ['I would like a table on Friday.', 'I need a taxi.', 'Goodbye.'],
} satisfies Omit<AgentFile, 'agent'>

export const instructions = 'You answer the phone of a restaurant. Find tables, order taxis, and be brief.'

/** Orders a taxi, which takes a while. Rejects when the signal aborts. */
export function orderTaxi(address: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = systemClock.after(4_000, 'a taxi answers', () =>
      resolve(`a taxi is on its way to ${address}`),
    )
    signal.addEventListener('abort', () => {
      timer.clear()
      reject(signal.reason as Error)
    })
  })
}
