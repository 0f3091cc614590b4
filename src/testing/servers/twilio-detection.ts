import { durationOf, sine, type AudioFrame } from '../../audio/index.ts'
import { noop } from '../../scope/index.ts'
import type { CallLeg } from './twilio-leg.ts'

/** A carrier's verdict on who answered. */
export type AnsweredBy =
  | 'human'
  | 'machine_start'
  | 'machine_end_beep'
  | 'machine_end_silence'
  | 'machine_end_other'
  | 'fax'
  | 'unknown'

/** An answering machine. */
export interface AnsweringMachine {
  /** Default: a tone of 3 seconds. */
  readonly greeting?: AudioFrame
  /** Default: true. */
  readonly beep?: boolean
}

/** How machine detection goes for a person. */
export interface DetectionManners {
  /** Default: the truth, in the words of the mode that the application asked for. */
  readonly verdict?: AnsweredBy
  /** Milliseconds from the answer to the verdict. Default: as long as the mode needs. */
  readonly after?: number | 'never'
  /** Whether an asynchronous verdict also comes after the call has ended. Default: false. */
  readonly evenIfOver?: boolean
}

/** What the application asked for. */
export interface DetectionRequest {
  readonly mode: 'Enable' | 'DetectMessageEnd'
  /** Milliseconds after which the verdict is `unknown`. */
  readonly timeout: number
  /** The URL of an asynchronous verdict. Without one, the call waits for its verdict before anything runs. */
  readonly callback?: string
  readonly async: boolean
}

export interface Verdict {
  readonly answeredBy: AnsweredBy
  /** Milliseconds from the answer. */
  readonly after: number
}

/** Milliseconds until a person who says hello counts as human. */
const HUMAN = 2_000
/** Milliseconds of speech that make a machine. */
const SPEECH = 2_400
/** Milliseconds of silence that end a greeting. */
const SILENCE = 1_200

export const GREETING = sine(300, { sampleRate: 8000, duration: 3_000 })
export const BEEP = sine(1_000, { sampleRate: 8000, duration: 500 })

/** Decides who answered, and when that is known. Undefined if it never is. */
export function judge(
  { mode, timeout }: DetectionRequest,
  machine: AnsweringMachine | undefined,
  manners: DetectionManners = {},
): Verdict | undefined {
  const truth = machine ? judgeMachine(mode, machine) : { answeredBy: 'human' as const, after: HUMAN }
  const { verdict = truth.answeredBy, after = truth.after } = manners
  if (after === 'never') return undefined
  return after > timeout ? { answeredBy: 'unknown', after: timeout } : { answeredBy: verdict, after }
}

function judgeMachine(
  mode: DetectionRequest['mode'],
  { greeting = GREETING, beep = true }: AnsweringMachine,
): Verdict {
  if (mode === 'Enable') return { answeredBy: 'machine_start', after: SPEECH }
  const spoken = durationOf(greeting)
  return beep
    ? { answeredBy: 'machine_end_beep', after: spoken + durationOf(BEEP) }
    : { answeredBy: 'machine_end_silence', after: spoken + SILENCE }
}

/** The fields of a verdict in a webhook. */
export function verdictFields({ answeredBy, after }: Verdict): Record<string, string> {
  return { AnsweredBy: answeredBy, MachineDetectionDuration: String(Math.round(after)) }
}

/** Waits until a leg is answered, and then judges it beside whatever else it does. */
export function detectBeside(
  leg: CallLeg,
  request: DetectionRequest,
  { machine, detection }: { readonly machine?: AnsweringMachine; readonly detection?: DetectionManners } = {},
): void {
  leg
    .until(() => leg.over || leg.answered)
    .then(() => {
      const verdict = leg.over ? undefined : judge(request, machine, detection)
      if (verdict && request.callback !== undefined) reportVerdict(leg, request.callback, verdict, detection)
    })
    .catch(noop)
}

/** Posts the verdict when it is known. */
function reportVerdict(
  leg: CallLeg,
  callback: string,
  verdict: Verdict,
  manners: DetectionManners = {},
): void {
  leg.afterwards(verdict.after, 'the verdict of machine detection', () => {
    if (leg.over && manners.evenIfOver !== true) return
    leg.answeredBy = verdict.answeredBy
    leg.webhooks.notify(leg.context.toLocal(callback), verdictFields(verdict))
  })
}
