import type { Agent, Session } from '../session/index.ts'
import { Activity } from './activity.ts'
import { Faults } from './faults.ts'
import { MockTools, RehearsedSession } from './mock-tools.ts'
import type { Pace } from './pace.ts'
import { llmOf, paceOf, type RehearsalOptions } from './rehearsal-options.ts'
import { ScriptedLlm } from './scripted-llm.ts'
import { ScriptedStt } from './scripted-stt.ts'
import { ScriptedTts } from './scripted-tts.ts'
import { ScriptedVad } from './scripted-vad.ts'
import { SimRandom } from './sim-random.ts'
import { TestLine } from './test-line.ts'
import { TurnRecorder } from './turn-recorder.ts'
import { VirtualTime } from './virtual-time.ts'
import { outsideTimer } from './outside-timer.ts'

/** Milliseconds of speech per character in real time, to keep tests short. */
const FAST_SPEECH = 1

/** Time limits of the session. */
export interface StageLimits {
  readonly close: number
  readonly afterCall: number
  /** The time from the last key to the end of an entry. Undefined if keys are ignored. */
  readonly dtmf: number | undefined
}

/** The parts of a rehearsal. */
export interface Stage {
  readonly session: Session
  readonly line: TestLine
  readonly faults: Faults
  readonly pace: Pace
  readonly activity: Activity
  readonly recorder: TurnRecorder
  readonly limits: StageLimits
}

export function createStage(agent: Agent, options: RehearsalOptions): Stage {
  const { answers: _answers, llm: _llm, clock: _clock, patience: _patience, ...rest } = options
  const { tools = {}, faults: initialFaults = {}, voice, line: lineOptions, ...own } = rest
  const llm = llmOf(options)
  const pace = paceOf(options)
  const { clock } = pace
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => void outsideTimer(clock, ms, 'time passes', resolve))
  const activity = new Activity(() => pace.changed())
  const observer = {
    ran: (call: string, input: unknown, mocked: boolean) => recorder.ran(call, input, mocked),
    returned: (call: string, value: unknown) => recorder.returned(call, value),
    waits: (call: string, waits: boolean) => activity.waits(call, waits ? 'caller' : undefined),
  }
  const faults = new Faults(wait)
  const recorder = new TurnRecorder({
    waitsForReal: (step) =>
      pace instanceof VirtualTime &&
      !faults.fired.includes(`task:${step}`) &&
      // The script of a model may stall on purpose.
      !(step === 'llm' && llm instanceof ScriptedLlm),
  })
  for (const [step, fault] of Object.entries(initialFaults)) faults.set(step, fault)
  const line = new TestLine(lineOptions)
  const pacing = pace instanceof VirtualTime ? {} : { msPerCharacter: FAST_SPEECH }
  const session = new RehearsedSession(
    {
      id: 'rehearsal',
      ...own,
      agent,
      // The caller types, so STT and VAD have nothing to do. They exist so that their faults can be tested.
      models: {
        llm,
        tts: new ScriptedTts({ ...pacing, ...voice }),
        stt: new ScriptedStt({ finalOn: 'flush' }),
        vad: new ScriptedVad(),
      },
      line,
      clock,
      random: new SimRandom(0),
      intercept: activity.counting(faults.intercept),
    },
    new MockTools(tools, observer, wait),
    (call) => activity.waits(call, undefined),
  )
  activity.watch(session)
  recorder.watch(session)
  return { session, line, faults, pace, activity, recorder, limits: limitsOf(own) }
}

function limitsOf({ closeTimeout, afterCallTimeout, turns }: Partial<RehearsalOptions>): StageLimits {
  return {
    close: closeTimeout ?? 5_000,
    afterCall: afterCallTimeout ?? 30_000,
    dtmf: turns?.dtmf && (turns.dtmf.timeout ?? 3_000),
  }
}
