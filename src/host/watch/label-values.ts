import { OptionError, type ScopeReport, type StepOutcome, type TaskOutcome } from '../../scope/index.ts'
import type { Usage } from '../../parts/index.ts'
import type { CloseReason } from '../../session/index.ts'

/** Names that parts of endwell have by default. */
const knownNames = [
  'browser',
  'phone',
  'sip',
  'webrtc',
  'rtvi',
  'openai',
  'openai-stt',
  'openai-tts',
  'openai-http-tts',
  'xai',
  'gemini',
  'deepgram',
  'assemblyai',
  'cartesia',
  'elevenlabs',
  'rime',
  'inworld',
  'local-stt',
  'local-tts',
  'local-vad',
]

const reasons: Readonly<Record<CloseReason, true>> = {
  'caller-hung-up': true,
  'caller-lost': true,
  'agent-hung-up': true,
  transferred: true,
  requested: true,
  idle: true,
  'max-duration': true,
  budget: true,
  error: true,
  'start-failed': true,
  'host-draining': true,
  'host-lost': true,
}

const units: Readonly<Record<keyof Usage, true>> = {
  inputTokens: true,
  outputTokens: true,
  cachedTokens: true,
  audioSeconds: true,
  characters: true,
  spokenSeconds: true,
  deviations: true,
}

const outcomes: Readonly<Record<StepOutcome | TaskOutcome, true>> = {
  done: true,
  failed: true,
  'timed-out': true,
  skipped: true,
  pending: true,
  ended: true,
  cancelled: true,
  abandoned: true,
  closer: true,
}

/** Names that an application may add. Every name is a time series for each outcome and each state. */
const MAX_NAMES = 50

/** Steps of a session's close by the beginning of their name, as label values. The first that fits counts. */
const stepKinds: readonly (readonly [beginning: string, label: string])[] = [
  ['toolset ', 'toolset'],
  ['tool ', 'tool'],
  ['input of ', 'tool'],
  ['turn detector', 'turn detector'],
  ['turn hook of ', 'hook'],
  ['enter hook of ', 'hook'],
  ['exit hook of ', 'hook'],
  ['turn ', 'turn'],
  ['reply ', 'reply'],
  ['prepare a reply', 'reply'],
  ['speech ', 'speech'],
  ['guardrail ', 'guardrail'],
  ['last words', 'last words'],
  ['recorder', 'recorder'],
  ['start', 'start'],
]

/**
 * The values that labels may have. The names of tools, agents and models are the application's, and some come from a model:
 * a name that is not in a fixed list becomes `other`, so that the number of time series is bounded.
 */
export class LabelValues {
  readonly #names: ReadonlySet<string>

  /** `names` are allowed besides the known ones: those of the application's own lines and models. */
  constructor(names: readonly string[] = []) {
    if (names.length > MAX_NAMES)
      throw new OptionError(`names must be ${MAX_NAMES} or fewer; there are ${names.length}`)
    this.#names = new Set([...knownNames, ...names])
  }

  name(name: string): string {
    return this.#names.has(name) ? name : 'other'
  }

  /** Whatever else a price list has as its currency is `other`, as in a session without one. */
  currency(currency: string | undefined): string {
    return currency !== undefined && /^[A-Z]{3}$/.test(currency) ? currency : 'other'
  }

  reason(reason: string): string {
    return Object.hasOwn(reasons, reason) ? reason : 'other'
  }

  /** What a model has used, without units that are not known. A counter cannot fall, so neither can they. */
  units(usage: Usage): { readonly unit: string; readonly value: number }[] {
    return Object.entries(usage)
      .filter(([unit, value]) => Object.hasOwn(units, unit) && value > 0)
      .map(([unit, value]) => ({ unit, value }))
  }

  /** Every step and task of a close, its children included. */
  steps(report: ScopeReport, within?: string): { readonly step: string; readonly outcome: string }[] {
    const own = [...report.steps, ...report.tasks].map(({ name, outcome }) => ({
      step: within ?? this.#step(name),
      outcome: Object.hasOwn(outcomes, outcome) ? outcome : 'other',
    }))
    const below = report.children.flatMap(({ report: child }) =>
      this.steps(child, within ?? kindOf(child.name)),
    )
    return [...own, ...below]
  }

  #step(name: string): string {
    return kindOf(name) ?? this.name(name)
  }
}

const kindOf = (name: string): string | undefined =>
  stepKinds.find(([beginning]) => name.startsWith(beginning))?.[1]
