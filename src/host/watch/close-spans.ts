import type { Attributes } from '@opentelemetry/api'
import type { ScopeReport } from '../../scope/index.ts'
import type { SessionReport } from '../../session/index.ts'
import type { OpenSpan, Spans } from './spans.ts'

/** Steps of a close that become spans. Steps that went wrong come first. */
const MAX_STEPS = 100

/** A step or a task of a close. Times are in milliseconds since the request to close. */
interface CloseStep {
  readonly name: string
  readonly from: number
  readonly to: number
  /** How it went wrong: `timed-out`, `abandoned`. */
  readonly wrong?: string
  readonly attributes: Attributes
}

/** Emits the span of a close, with one child per step and task. `at` is when the close was requested. */
export function closeSpans(
  spans: Spans,
  parent: OpenSpan,
  report: SessionReport,
  at: number,
  ids: Attributes,
): void {
  const { scope, reason, by, closeTimeout, took } = report
  const close = spans.child('close', {
    parent,
    at,
    attributes: {
      ...ids,
      'endwell.reason': reason,
      'endwell.close.timeout': closeTimeout / 1_000,
      'endwell.close.clean': scope.clean,
      ...(by === undefined ? {} : { 'endwell.close.by': by }),
    },
  })
  const steps = stepsOf(scope, 0).toSorted((one, other) => Number(!one.wrong) - Number(!other.wrong))
  for (const { name, from, to, wrong, attributes } of steps.slice(0, MAX_STEPS)) {
    const span = spans.child(name, { parent: close, at: at + from, attributes: { ...ids, ...attributes } })
    if (wrong !== undefined) span.fail(wrong)
    span.end(at + to)
  }
  if (!scope.clean) close.fail(steps[0]?.wrong ?? 'not_clean')
  close.end(at + took)
}

/** The steps and tasks of a scope and of its children. The times of a child count from the moment its close was requested. */
function stepsOf(scope: ScopeReport, offset: number): CloseStep[] {
  const steps = scope.steps.map(({ name, kind, phase, outcome, at, took, forced }): CloseStep => {
    const wrong = outcome === 'done' ? (forced ? 'forced' : undefined) : outcome
    return {
      name: nameOf(name),
      from: offset + at,
      to: offset + at + took,
      ...(wrong === undefined ? {} : { wrong }),
      attributes: { ...attributesOf(scope, name, kind, phase, outcome), 'endwell.step.forced': forced },
    }
  })
  const tasks = scope.tasks.map(({ name, kind, phase, outcome, at, cancelledAt = 0 }): CloseStep => {
    const isWrong = outcome === 'failed' || outcome === 'abandoned'
    return {
      name: nameOf(name),
      from: offset + Math.min(cancelledAt, at),
      to: offset + at,
      ...(isWrong ? { wrong: outcome } : {}),
      attributes: attributesOf(scope, name, kind, phase, outcome),
    }
  })
  return [
    ...steps,
    ...tasks,
    ...scope.children.flatMap(({ report, askedAt }) => stepsOf(report, offset + askedAt)),
  ]
}

function attributesOf(
  scope: ScopeReport,
  name: string,
  kind: string,
  phase: string,
  outcome: string,
): Attributes {
  return {
    'endwell.step.name': name,
    'endwell.step.kind': kind,
    'endwell.step.phase': phase,
    'endwell.step.scope': scope.name,
    'endwell.step.outcome': outcome,
  }
}

/** Without its number: `reply 3` is named `reply`, as names of spans must not be unique. */
const nameOf = (name: string): string => name.replace(/ \d+$/, '')
