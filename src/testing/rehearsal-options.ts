import type { Llm, LlmRequest } from '../parts/index.ts'
import { OptionError, type OptionNames } from '../scope/index.ts'
import type { SessionOptions } from '../session/index.ts'
import type { Fault } from './faults.ts'
import type { MockTool } from './mock-tools.ts'
import type { Pace } from './pace.ts'
import { RealTime } from './real-time.ts'
import type { Answers } from './script.ts'
import { ScriptedLlm } from './scripted-llm.ts'
import type { ScriptedTtsOptions } from './scripted-tts.ts'
import type { TestLineOptions } from './test-line-options.ts'
import { VirtualTime } from './virtual-time.ts'

/** The options of a rehearsal, and those of its session that the rehearsal does not set itself. */
export interface RehearsalOptions extends Omit<
  SessionOptions,
  'agent' | 'models' | 'line' | 'clock' | 'random' | 'intercept'
> {
  /** The answers of the scripted model: a list, one per request, or a function of the request. */
  answers?: Answers<LlmRequest>
  /** A model instead of the script. Requires `clock`, unless it is a `ScriptedLlm`. */
  llm?: Llm
  /**
   * `virtual`: nothing sleeps, and nothing real can be awaited. `real`: for a model or tools that use a network; only
   * speech is faster than real time. Default: `virtual`.
   */
  clock?: 'virtual' | 'real'
  /** The time limit for one step in real time. Default: 30 s. */
  patience?: number
  /** Mocks of tools by name, for all agents. Other tools run unchanged. */
  tools?: Readonly<Record<string, MockTool>>
  /** Faults by name of the step: `{ 'close:stt': 'hang' }`. */
  faults?: Readonly<Record<string, Fault>>
  /** Options of the agent's voice. */
  voice?: ScriptedTtsOptions
  line?: TestLineOptions
}

export const rehearsalNames: OptionNames<RehearsalOptions> = {
  id: true,
  startTimeout: true,
  closeTimeout: true,
  lastWordsTimeout: true,
  stallTimeout: true,
  endTimeout: true,
  playoutTimeout: true,
  hookTimeout: true,
  afterCallTimeout: true,
  maxDuration: true,
  idleTimeout: true,
  budget: true,
  prices: true,
  priceList: true,
  goodbye: true,
  answerTimeout: true,
  maxFailures: true,
  apology: true,
  maxToolSteps: true,
  turns: true,
  history: true,
  resumed: true,
  recording: true,
  sounds: true,
  afterCall: true,
  logger: true,
  onLate: true,
  network: true,
  answers: true,
  llm: true,
  clock: true,
  patience: true,
  tools: true,
  faults: true,
  voice: true,
  line: true,
}

/** How time passes in a rehearsal. */
export function paceOf({ llm, clock, patience = 30_000 }: RehearsalOptions): Pace {
  if (llm && !(llm instanceof ScriptedLlm) && clock === undefined) {
    throw new OptionError(
      `set the clock for model '${llm.name}': 'real' if it waits for something real, such as a network, which virtual ` +
        `time would not wait for, or 'virtual' if it only uses the clock of its scope`,
    )
  }
  return clock === 'real' ? new RealTime(patience) : new VirtualTime()
}

/** The model of a rehearsal. */
export function llmOf({ llm, answers }: RehearsalOptions): Llm {
  if (llm && answers) throw new OptionError('a rehearsal takes answers or an llm, not both')
  return llm ?? new ScriptedLlm(answers ? { answers } : {})
}
