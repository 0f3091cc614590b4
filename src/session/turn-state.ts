import type { TurnCommand, TurnTimer, UserState } from './turn-events.ts'
import type { TurnSettings } from './turn-options.ts'
import { countWords, joinWords } from './turn-words.ts'

/** All a machine knows: plain data, so that it can be looked at, kept, and put into another machine. */
export interface TurnState {
  /** The latest moment it was told of. */
  now: number
  ending: boolean
  /** Whether the agent can be interrupted although the session is ending. */
  bargeInWhileEnding: boolean
  /** What was told of the user last. */
  user: UserState
  voice: Voice | undefined
  turn: Turn | undefined
  kept: Kept | undefined
  /** Until then a text may come for words that are committed or discarded already: it is thrown away. */
  spentUntil: number | undefined
  agent: AgentState
  /** The text that an answer was begun for. */
  preempted: string | undefined
  /** The mean of the pauses the user makes within a turn. */
  pauses: number | undefined
  /** When the user stopped in the turn that was committed last, as long as the agent has not sounded since. */
  lastStopped: number | undefined
  /** Telephone keys of an entry that is not complete, and when the last came. */
  digits: string
  digitAt: number
  /** When an entry was complete without its end key, which may still follow out of habit. */
  filledAt: number | undefined
  quietSince: number | undefined
  idleTold: boolean
  /** When each timer that is set will fire. */
  timers: Record<TurnTimer, number | undefined>
}

/** The user is speaking. */
export interface Voice {
  since: number
  /** Its words are committed, and none came since: whoever listens for voices lags behind. */
  settled: boolean
  /** It has paused the agent in vain. It may interrupt, but pauses no more. */
  spent: boolean
}

/** A turn of the user that is not committed. */
export interface Turn {
  said: string
  interim: string
  /** Speech was heard, and no final text has come since. */
  awaiting: boolean
  /** Speech was heard: its end is the truth, not the time at which a text came. */
  voiced: boolean
  /** When the user stopped. Without meaning as long as the voice is on. */
  stopped: number
  /** When the text changed last. */
  changed: number
  /** When somebody said that the turn is over. */
  ended: number | undefined
  byHand: boolean
  /** The text the turn detector was asked about, and what it said. */
  asked: string | undefined
  score: number | 'unknown' | undefined
  /** Answers begun so far. */
  preempts: number
}

/** Turns that are over, and wait for the agent because they could not interrupt it. They will be one. */
export interface Kept {
  text: string
  from: 'speech' | 'text'
  stopped: number
  /** Murmurs: they wait until the agent is silent. Others wait only for what nobody may interrupt. */
  weak: boolean
}

export interface AgentState {
  thinking: 'no' | 'yes' | 'uninterruptible'
  sound: Sound | undefined
  tool: boolean
}

/** The agent is heard. */
export interface Sound {
  since: number
  interruptible: boolean
  /** Since when it is paused. */
  paused: number | undefined
  /** It was interrupted, and has not stopped yet. */
  interrupted: boolean
}

/** What each rule works on. */
export interface TurnDesk {
  readonly settings: TurnSettings
  readonly state: TurnState
  readonly tell: (command: TurnCommand) => void
}

export const newState = (): TurnState => ({
  now: 0,
  ending: false,
  bargeInWhileEnding: false,
  user: 'silent',
  voice: undefined,
  turn: undefined,
  kept: undefined,
  spentUntil: undefined,
  agent: { thinking: 'no', sound: undefined, tool: false },
  preempted: undefined,
  pauses: undefined,
  lastStopped: undefined,
  digits: '',
  digitAt: 0,
  filledAt: undefined,
  quietSince: undefined,
  idleTold: false,
  timers: {
    endpoint: undefined,
    'barge-in': undefined,
    'false-interruption': undefined,
    stable: undefined,
    idle: undefined,
    digits: undefined,
  },
})

export const copyState = (state: TurnState): TurnState => ({
  ...state,
  voice: state.voice && { ...state.voice },
  turn: state.turn && { ...state.turn },
  kept: state.kept && { ...state.kept },
  agent: { ...state.agent, sound: state.agent.sound && { ...state.agent.sound } },
  timers: { ...state.timers },
})

/** Modes in which speech is made into turns here, by what is heard of it. */
export const takesTurns = ({ mode }: TurnSettings): boolean => mode === 'vad' || mode === 'stt'

/** The user's audio is the turn: its texts are for people, and belong to the model. */
export const modelHears = ({ mode, wordless }: TurnSettings): boolean => mode === 'realtime' || wordless

export const textOf = (turn: Turn | undefined): string => (turn ? joinWords(turn.said, turn.interim) : '')

/** All that would be committed if the turn were now. */
export const wholeText = ({ kept, turn }: TurnState): string => joinWords(kept?.text ?? '', textOf(turn))

/** No text is waited for. */
export const isComplete = (turn: Turn): boolean => !turn.awaiting && turn.interim === ''

/** Whether the words are enough for a turn of their own, although the agent sounds. */
export const isReal = (turn: Turn | undefined, { minWords }: TurnSettings): boolean =>
  countWords(textOf(turn)) >= Math.max(1, minWords)

/** The sound that is there to be interrupted. */
export function liveSound({ agent: { sound } }: TurnState): Sound | undefined {
  return sound?.interrupted === false ? sound : undefined
}

/** The agent says, or is about to say, what nobody may interrupt. */
export const isFirm = (state: TurnState): boolean =>
  liveSound(state)?.interruptible === false || state.agent.thinking === 'uninterruptible'

/** Too little was said to interrupt anybody. */
export const isWeak = (turn: Turn, settings: TurnSettings): boolean =>
  takesTurns(settings) && !turn.byHand && !isReal(turn, settings)

/** Who may not interrupt has to wait. */
export const hasToWait = (state: TurnState, weak: boolean): boolean =>
  isFirm(state) || (weak && liveSound(state) !== undefined)

/** The user speaks, and not just the rest of a turn that was committed. */
export const isSpeaking = ({ voice }: TurnState): boolean => voice?.settled === false
