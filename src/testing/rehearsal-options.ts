import type { Llm, LlmRequest } from '../parts/index.ts'
import { OptionError } from '../scope/index.ts'
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

/** The options of a session, except what a rehearsal brings itself; and what is special about the rehearsal. */
export interface RehearsalOptions extends Omit<
  SessionOptions,
  'agent' | 'models' | 'line' | 'clock' | 'random' | 'intercept'
> {
  /** What the scripted model answers: a list, one for each time that it is asked, or a function of the request. */
  answers?: Answers<LlmRequest>
  /** A model instead of the script. It needs `clock`, unless it is a `ScriptedLlm`. */
  llm?: Llm
  /**
   * `virtual` unless set: nothing sleeps, and nothing real can be waited for. `real` is for a model, or for tools, behind
   * a network: seconds are seconds, only speech is fast.
   */
  clock?: 'virtual' | 'real'
  /** In real time, how long one step may take: 30 s unless set. In virtual time nobody needs patience. */
  patience?: number
  /** What tools do instead, by name, for all agents. The others do what they do in life. */
  tools?: Readonly<Record<string, MockTool>>
  /** Faults by the name of the step: `{ 'close:stt': 'hang' }`. */
  faults?: Readonly<Record<string, Fault>>
  /** How the agent speaks. */
  voice?: ScriptedTtsOptions
  line?: TestLineOptions
}

/** How time passes in a rehearsal. */
export function paceOf({ llm, clock, patience = 30_000 }: RehearsalOptions): Pace {
  if (llm && !(llm instanceof ScriptedLlm) && clock === undefined) {
    throw new OptionError(
      `say which clock model '${llm.name}' needs. clock: 'real' if it waits for anything real, a network for ` +
        `instance: virtual time would run ahead of it. clock: 'virtual' if it waits for nothing but its scope's clock`,
    )
  }
  return clock === 'real' ? new RealTime(patience) : new VirtualTime()
}

/** The model of a rehearsal. */
export function llmOf({ llm, answers }: RehearsalOptions): Llm {
  if (llm && answers) throw new OptionError('give a rehearsal answers or an llm, not both')
  return llm ?? new ScriptedLlm(answers ? { answers } : {})
}
