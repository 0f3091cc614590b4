import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { LineConnection, SpokenChunk } from '../parts/index.ts'
import type { Scope } from '../scope/index.ts'
import type { Agent } from './agent.ts'
import type { GuardrailRunner, Objection } from './guardrails.ts'
import type { History } from './history.ts'
import { Speaker } from './speaker.ts'
import type { PlayoutOutcome, Speech, SpeechOptions } from './speech.ts'
import type { SpokenWords } from './spoken-words.ts'
import { staged } from './stages.ts'

/** A speech on its way: whoever makes its sound tells what is said in it. */
export interface Utterance {
  readonly speech: Speech
  /** Milliseconds of it that were heard when it was interrupted. */
  readonly heard: number
  /** The next words of it. */
  said(piece: string): void
  /** It has no more words. */
  ends(): void
}

/** What makes the sound. Called once, when it is this speech's turn. */
export type Sound = (utterance: Utterance, signal: AbortSignal) => AsyncIterable<SpokenChunk>

export interface UtterancesHost {
  readonly scope: Scope<string>
  readonly history: History
  readonly line: LineConnection
  readonly lineRate: SampleRate
  readonly playoutTimeout: number
  readonly stallTimeout: number
  /** Whether a speech may be paused. */
  readonly pauses: boolean
  readonly guardrails: GuardrailRunner
  /** What to do if a guardrail has something against it. */
  objectionTo(speech: Speech): Objection
  /** The first sound of a speech is on its way to the caller. */
  started(speech: Speech): void
  ended(speech: Speech, outcome: PlayoutOutcome): void
  /** A frame is expected to be heard at a moment. */
  played(frame: AudioFrame, at: number): void
  /** The sound went on for so long after it was cleared. */
  wentOn(ms: number): void
  progress(): void
}

/** An utterance and where its words stand in the history, once they have a place. */
interface Spoken {
  readonly utterance: Utterance & { heard: number }
  readonly place: () => SpokenWords
  words: SpokenWords | undefined
}

/** All that the agent says: each speech with its words, as far as they are heard, in the history (SP6). */
export class Utterances {
  readonly speaker: Speaker
  readonly #host: UtterancesHost
  /** Those that have not ended. */
  readonly #spoken = new Map<Speech, Spoken>()

  constructor(host: UtterancesHost) {
    this.#host = host
    this.speaker = new Speaker({
      scope: host.scope,
      line: host.line,
      sampleRate: host.lineRate,
      playoutTimeout: host.playoutTimeout,
      stallTimeout: host.stallTimeout,
      pauses: host.pauses,
      started: (speech) => this.#started(speech),
      interrupted: (speech, heard, ms) => this.#interrupted(speech, heard, ms),
      ended: (speech, outcome) => this.#ended(speech, outcome),
      played: (frame, at) => host.played(frame, at),
      wentOn: (ms) => host.wentOn(ms),
    })
  }

  /**
   * `placed`: the words of an answer stand in the history where the model said them, before the tools it called next;
   * others stand where they were heard. `checked`: by the guardrails.
   */
  utter(
    agent: Agent,
    sound: Sound,
    options?: SpeechOptions,
    { placed = false, checked = true } = {},
  ): Utterance {
    const { history, scope } = this.#host
    const { stages } = agent
    let utterance: Spoken['utterance'] | undefined
    const of = (speech: Speech): Spoken['utterance'] =>
      (utterance ??= this.#utterance(speech, agent, checked))
    const speech = this.speaker.enqueue(
      {
        sound: (self, signal) => {
          const made = sound(of(self), signal)
          return stages.sound ? staged(made, stages.sound) : made
        },
      },
      options,
    )
    const place = (): SpokenWords => history.speak({ at: scope.clock.date(), agent: agent.name })
    this.#spoken.set(speech, { utterance: of(speech), place, words: placed ? place() : undefined })
    return of(speech)
  }

  /** What was heard so far of the words that sound now: whoever answers must know them. */
  keepHeard(): void {
    const { current, heardSoFar } = this.speaker
    if (current) this.#spoken.get(current)?.words?.heard(heardSoFar)
  }

  #utterance(speech: Speech, { guardrails }: Agent, checked: boolean): Spoken['utterance'] {
    const watch = checked
      ? this.#host.guardrails.watch(guardrails.output, this.#host.objectionTo(speech))
      : undefined
    return {
      speech,
      heard: 0,
      said: (piece) => {
        speech.said(piece)
        this.#host.progress()
        watch?.grew(piece)
      },
      ends: () => watch?.ends(),
    }
  }

  #started(speech: Speech): void {
    const spoken = this.#spoken.get(speech)
    if (spoken) spoken.words ??= spoken.place()
    this.#host.started(speech)
  }

  #interrupted(speech: Speech, heard: string, ms: number): void {
    const spoken = this.#spoken.get(speech)
    if (!spoken) return
    spoken.utterance.heard = ms
    spoken.words?.heard(heard)
  }

  #ended(speech: Speech, outcome: PlayoutOutcome): void {
    const words = this.#spoken.get(speech)?.words
    this.#spoken.delete(speech)
    words?.heard(outcome.heard)
    words?.end({ interrupted: outcome.how === 'interrupted' })
    this.#host.ended(speech, outcome)
  }
}
