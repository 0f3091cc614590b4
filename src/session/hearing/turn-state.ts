import type { TurnTimer, UserState } from './turn-events.ts'

/** Everything a turn machine knows. Plain data, so that it can be inspected, stored, and put into another machine. */
export interface TurnState {
  /** The latest time the machine has been given. */
  now: number
  ending: boolean
  /** Whether the user may interrupt the agent although the session is ending. */
  bargeInWhileEnding: boolean
  /** The user state last reported by a `user-state` command. */
  user: UserState
  voice: Voice | undefined
  turn: Turn | undefined
  held: HeldTurn | undefined
  /** Until then, text may still arrive for words that were already committed or discarded. It is dropped. */
  staleTextUntil: number | undefined
  agent: AgentState
  /** The text for which a reply was begun early. */
  preempted: string | undefined
  /** Average length of the user's pauses within a turn. */
  averagePause: number | undefined
  /** When the user stopped in the turn committed last. Cleared once the agent speaks. */
  lastStopped: number | undefined
  /** The telephone keys of an unfinished entry, and when the last one was pressed. */
  digits: string
  digitAt: number
  /** When an entry was filled without its end key. The user may still press that key out of habit. */
  filledAt: number | undefined
  quietSince: number | undefined
  idleReported: boolean
  /** When each timer that is set will fire. */
  timers: Record<TurnTimer, number | undefined>
}

/** The user is speaking. */
export interface Voice {
  since: number
  /** Its words were committed and none have come since: the VAD is lagging behind. */
  committed: boolean
  /** This voice paused the agent without producing words. It may still interrupt, but not pause again. */
  pausedInVain: boolean
}

/** A turn of the user that has not been committed. */
export interface Turn {
  said: string
  interim: string
  /** Speech was heard, and its final text has not arrived. */
  awaiting: boolean
  /** Speech was heard. The end of the turn is then the end of that speech, not the arrival of its text. */
  voiced: boolean
  /** When the user stopped speaking. Meaningless while the user speaks. */
  stopped: number
  /** When the text last changed. */
  changed: number
  /** When the last final text arrived. */
  finalAt: number
  /** When the STT or the application declared the turn finished. */
  ended: number | undefined
  byHand: boolean
  /** The STT has said that the user may have finished, and nothing else since. */
  maybeEnded: boolean
  /** The text the turn detector was last given, and its score. */
  asked: string | undefined
  score: number | 'unknown' | undefined
  /** Replies begun early for this turn. */
  preempts: number
}

/** Finished turns that could not interrupt the agent and wait for it. They are committed together as one turn. */
export interface HeldTurn {
  text: string
  from: 'speech' | 'text'
  stopped: number
  decided: number | undefined
  finished: number
  /** Too few words to interrupt: waits until the agent is silent. Others wait only for uninterruptible speech. */
  weak: boolean
}

export interface AgentState {
  thinking: 'no' | 'yes' | 'uninterruptible'
  sound: Sound | undefined
  tool: boolean
}

/** The agent is audible. */
export interface Sound {
  since: number
  interruptible: boolean
  /** When it was paused. */
  paused: number | undefined
  /** It was interrupted and is about to stop. */
  interrupted: boolean
}

export const newState = (): TurnState => ({
  now: 0,
  ending: false,
  bargeInWhileEnding: false,
  user: 'silent',
  voice: undefined,
  turn: undefined,
  held: undefined,
  staleTextUntil: undefined,
  agent: { thinking: 'no', sound: undefined, tool: false },
  preempted: undefined,
  averagePause: undefined,
  lastStopped: undefined,
  digits: '',
  digitAt: 0,
  filledAt: undefined,
  quietSince: undefined,
  idleReported: false,
  timers: {
    endpoint: undefined,
    'barge-in': undefined,
    'false-interruption': undefined,
    stable: undefined,
    idle: undefined,
    digits: undefined,
  },
})
