import type { TurnCommand, TurnTimer, UserState } from './turn-events.ts'
import type { TurnSettings } from './turn-options.ts'
import type { Sound, TurnState } from './turn-state.ts'
import { countWords, joinWords } from './turn-words.ts'

/** Who has the floor: the machine's state and settings, with the questions the rules ask about them. */
export class Floor {
  readonly settings: TurnSettings
  readonly state: TurnState
  /** What the rules want done in response to the current event, in order. */
  commands: TurnCommand[] = []

  constructor(settings: TurnSettings, state: TurnState) {
    this.settings = settings
    this.state = state
  }

  /** Whether this machine turns speech into turns, rather than a realtime model or the application. */
  get takesTurns(): boolean {
    return this.settings.mode === 'vad' || this.settings.mode === 'stt'
  }

  /** Whether the model hears the audio itself. The text is then for display only, and is not committed. */
  get modelHears(): boolean {
    return this.settings.mode === 'realtime' || this.settings.wordless
  }

  /** Whether the user is speaking, beyond the tail of a turn that was already committed. */
  get isSpeaking(): boolean {
    return this.state.voice?.committed === false
  }

  /** The words of the current turn, final and interim. */
  get text(): string {
    const { turn } = this.state
    return turn ? joinWords(turn.said, turn.interim) : ''
  }

  /** Everything that would be committed now: held turns and the current one. */
  get wholeText(): string {
    const { held } = this.state
    return held ? joinWords(held.text, this.text) : this.text
  }

  /** Whether no text is outstanding for the current turn. */
  get isComplete(): boolean {
    const { turn } = this.state
    return turn !== undefined && !turn.awaiting && turn.interim === ''
  }

  /** Words in the current turn so far. */
  get wordCount(): number {
    return countWords(this.text)
  }

  /** Whether the current turn has enough words to stand although the agent is speaking. */
  get isSubstantial(): boolean {
    return this.wordCount >= Math.max(1, this.settings.minWords)
  }

  /** Whether the current turn has too few words to interrupt the agent. */
  get isWeak(): boolean {
    return this.takesTurns && !this.state.turn?.byHand && !this.isSubstantial
  }

  /** The agent's sound, as long as it can be interrupted. */
  get liveSound(): Sound | undefined {
    const { sound } = this.state.agent
    return sound?.interrupted === false ? sound : undefined
  }

  /** Whether the agent is audible while the user speaks, has spoken, or may have paused it. */
  get isContested(): boolean {
    const { voice, turn } = this.state
    const sound = this.liveSound
    return sound !== undefined && (voice !== undefined || turn !== undefined || sound.paused !== undefined)
  }

  /** Whether the agent says, or is about to say, something uninterruptible. */
  get isUninterruptible(): boolean {
    return this.liveSound?.interruptible === false || this.state.agent.thinking === 'uninterruptible'
  }

  /** Whether a turn with too few words to interrupt has to wait. */
  get holdsWeakTurns(): boolean {
    return this.isUninterruptible || this.liveSound !== undefined
  }

  get userState(): UserState {
    const { held, turn } = this.state
    if (this.isSpeaking) return 'speaking'
    if (held) return 'finishing'
    if (!turn || this.settings.mode === 'realtime') return 'silent'
    return this.settings.mode === 'manual' && turn.ended === undefined ? 'silent' : 'finishing'
  }
}

/**
 * One rule of turn taking: it says when it is due, and acts once that time has come. A rule that depends on more than
 * time returns `state.now` when it wants to act at once, and undefined when time alone will not make it act.
 */
export interface TurnRule {
  /** The timer that wakes the machine when the rule is due later. */
  readonly timer?: TurnTimer
  /** Whether the rule still applies while the session is ending. Default: false. */
  readonly whileEnding?: boolean
  /** Whether the rule applies only while both the agent and the user are heard. Default: false. */
  readonly whileContested?: boolean
  /** Whether the rule is used with these settings. Default: always. */
  readonly isUsed?: (settings: TurnSettings) => boolean
  due(floor: Floor): number | undefined
  act(floor: Floor): void
}
