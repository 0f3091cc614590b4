import type { TurnStage } from '../../../src/session/index.ts'

/** What the stages of a turn are called, in order, and what the caller waited for. */
export const stageTexts: Readonly<Record<TurnStage, { readonly name: string; readonly about: string }>> = {
  endpointing: { name: 'End of turn', about: 'until it was certain that the caller had finished' },
  transcription: { name: 'Final text', about: 'until the transcript was there' },
  held: { name: 'Held', about: 'until the agent could be interrupted' },
  hook: { name: 'Hook', about: 'until the onTurn hook had returned' },
  model: { name: 'Model', about: 'until the first words, or the first sound of a realtime model' },
  tools: { name: 'Tools', about: 'while tools ran' },
  queue: { name: 'Queue', about: 'until earlier speech had ended' },
  voice: { name: 'Voice', about: 'until the first sound of the words' },
  playout: { name: 'Playout', about: 'until the caller heard it' },
}
