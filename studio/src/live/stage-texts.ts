import type { TurnStage } from '../../../src/session/index.ts'

interface StageText {
  readonly name: string
  /** What the caller waited for. */
  readonly about: string
  readonly colour: string
}

/** What the stages of a turn are called, in order. */
export const stageTexts: Readonly<Record<TurnStage, StageText>> = {
  endpointing: {
    name: 'End of turn',
    about: 'until it was certain that the caller had finished',
    colour: 'var(--stage-endpointing)',
  },
  transcription: {
    name: 'Final text',
    about: 'until the transcript was there',
    colour: 'var(--stage-transcription)',
  },
  held: {
    name: 'Held',
    about: 'until the agent could be interrupted',
    colour: 'var(--stage-held)',
  },
  hook: {
    name: 'Hook',
    about: 'until the onTurn hook had returned',
    colour: 'var(--stage-hook)',
  },
  model: {
    name: 'Model',
    about: 'until the first words, or the first sound of a realtime model',
    colour: 'var(--stage-model)',
  },
  tools: {
    name: 'Tools',
    about: 'while tools ran',
    colour: 'var(--stage-tools)',
  },
  queue: {
    name: 'Queue',
    about: 'until earlier speech had ended',
    colour: 'var(--stage-queue)',
  },
  voice: {
    name: 'Voice',
    about: 'until the first sound of the words',
    colour: 'var(--stage-voice)',
  },
  playout: {
    name: 'Playout',
    about: 'until the caller heard it',
    colour: 'var(--stage-playout)',
  },
}
