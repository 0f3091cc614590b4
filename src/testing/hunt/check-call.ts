import { culpritsOf } from '../../host/wire/index.ts'
import { timeText } from '../../report/index.ts'
import { describeError } from '../../scope/index.ts'
import type { CallRecord } from './call-record.ts'
import type { CodeRun } from './code-run.ts'
import type { Found } from './finding.ts'
import { limits } from './limits.ts'

/** Lists everything in a call that did not end well because of the agent’s own code. */
export function checkCall(record: CallRecord): Found[] {
  const found = [
    ...record.runs.flatMap((run) => checkRun(record, run)),
    ...checkTwins(record),
    ...record.uncaught.map(({ origin, error, run }): Found => ({
      kind: 'uncaught-error',
      where: run.label,
      what: `${origin === 'unhandledRejection' ? 'an unhandled rejection' : 'an uncaught exception'}: ${describeError(error).message}`,
      stack: stackOf(error),
    })),
    ...record.left.map(({ run, name, stack }): Found => ({
      kind: 'left-open',
      where: run.label,
      what: `${name} was still open after the call`,
      stack,
    })),
    ...checkScopes(record),
    ...checkConversation(record),
  ]
  return found.length > 0 ? found : checkReport(record)
}

const act: Readonly<Record<string, string>> = {
  'hangs-up': 'the caller hung up',
  vanishes: 'the caller was cut off',
  close: 'the session was closed',
  hurry: 'the session was closed',
  twice: 'the session was closed',
  goodbye: 'the agent said goodbye',
  drain: 'the host drained',
  'model-fails': 'the model failed for good',
  interrupts: 'the caller interrupted',
}

/** What made the signal of a run abort. */
function causeOf({ case: one }: CallRecord, run: CodeRun): string {
  if (!run.isClosed)
    return one.act === 'interrupts' && run.kind !== 'tool' ? act['interrupts']! : 'its time was up'
  return act[one.act] ?? 'the call ended'
}

function checkRun(record: CallRecord, run: CodeRun): Found[] {
  const exits = run.exits.map(({ message, stack }): Found => ({
    kind: 'ends-process',
    where: run.label,
    what: message,
    stack,
  }))
  return [...exits, ...checkEnd(record, run), ...checkFailure(run), ...checkTimers(run)]
}

function checkEnd(record: CallRecord, run: CodeRun): Found[] {
  const { label: where, kind, cancelledAt, startedAt, isRunning } = run
  if (kind === 'stage') return []
  const stack = record.waitsAt.get(run)
  if (cancelledAt === undefined) {
    if (!isRunning) return []
    const ran = timeText(record.endedAt - startedAt)
    return [{ kind: 'never-ends', where, what: `it began, and ${ran} later it was still running`, stack }]
  }
  const into = timeText(cancelledAt - startedAt)
  if (kind === 'hook' && !run.isClosed)
    return [{ kind: 'late-hook', where, what: `it was asked to stop after ${into}`, stack }]
  const wentOn = run.wentOnFor(record.endedAt)
  if (wentOn <= limits.slowStop || finishesInTime(record, run)) return []
  const when = `${causeOf(record, run)} ${cancelledAt === startedAt ? 'as soon as it began' : `${into} into it`}`
  const how = isRunning
    ? `${timeText(wentOn)} later it was still running, and its \`finally\` had not run`
    : `it went on for ${timeText(wentOn)}`
  const unread = run.readsSignal || kind !== 'tool' ? '' : '. It never read its signal'
  return [{ kind: 'ignores-signal', where, what: `${when}; ${how}${unread}`, stack }]
}

/** Whether a tool ended within the time that it asks for with `finishWithin`, even if a shorter deadline has cut it. */
function finishesInTime({ closingAt }: CallRecord, { isClosed, endedAt, finishWithin }: CodeRun): boolean {
  if (!isClosed || closingAt === undefined || endedAt === undefined) return false
  return endedAt - closingAt <= finishWithin
}

/** Errors of tools are not listed: a tool may throw, and its model reads why. */
function checkFailure(run: CodeRun): Found[] {
  const { failure, kind, label: where, cancelledAt } = run
  if (!failure || kind === 'tool' || run.exits.length > 0) return []
  const { error } = failure
  const { message, name } = describeError(error)
  const isCancelled =
    cancelledAt !== undefined && (name === 'AbortError' || run.wentOnFor(Infinity) <= limits.slowStop)
  // What the hunt answers is not what a server would, and a server on this machine may not be running.
  if (isCancelled || run.requests > 0 || run.refused.size > 0 || isRefused(error)) return []
  return [{ kind: 'throws', where, what: `it threw ${name}: ${message}`, stack: stackOf(error) }]
}

/** Whether an error says that nothing listens at an address. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return /ECONNREFUSED/.test(`${error.message} ${describeError(error.cause).message}`)
}

function checkTimers(run: CodeRun): Found[] {
  const { label: where } = run
  const left: Found[] = []
  for (const timer of run.timers) {
    if (!timer.hasRef()) continue
    const every = timeText(timer.ms)
    if (timer.repeats)
      left.push({
        kind: 'left-open',
        where,
        what: `an interval of ${every} was still running after the call`,
        stack: timer.stack,
      })
    else
      left.push({
        kind: 'left-timer',
        where,
        what: `a timeout of ${every} was still waiting after the call`,
        stack: timer.stack,
      })
  }
  return left
}

/** Runs of the same tool with the same input that overlap. */
function checkTwins({ runs }: CallRecord): Found[] {
  const tools = runs.filter(({ kind }) => kind === 'tool')
  return tools.flatMap((second, index): Found[] => {
    const first = tools
      .slice(0, index)
      .find(
        ({ label, input, endedAt = Infinity }) =>
          label === second.label && input === second.input && endedAt > second.startedAt,
      )
    if (!first) return []
    const since = timeText(second.startedAt - first.startedAt)
    return [
      {
        kind: 'runs-twice',
        where: second.label,
        what: `it was called again ${since} after the first time, which was still running: ${second.input ?? ''}`,
      },
    ]
  })
}

function checkScopes({ scopes }: CallRecord): Found[] {
  return scopes.map((name) => ({
    kind: 'left-open',
    where: 'the agent',
    what: `the scope '${name}' was still open after the call`,
  }))
}

/** What a caller would have noticed. Only calls in which nothing around the agent went wrong count. */
function checkConversation(record: CallRecord): Found[] {
  const { case: one, waits, runs, closingAt = Infinity, isEndedByHunt } = record
  if (one.act !== 'finishes' || one.trouble) return []
  return [
    ...(isEndedByHunt ? [] : runs.flatMap(unheardOf)),
    ...waits.flatMap(({ from, to, isTurn }): Found[] => {
      const waited = (to ?? closingAt) - from
      if (waited <= limits.silence || waited === Infinity) return []
      if (to === undefined && isTurn)
        return [
          {
            kind: 'no-answer',
            where: 'a turn',
            what: `${timeText(waited)} later the caller had heard nothing`,
          },
        ]
      const until = to ?? closingAt
      const busy = runs.filter(({ startedAt, endedAt = Infinity }) => startedAt < until && endedAt > from)
      const where = busy.find(({ kind }) => kind === 'tool')?.label ?? busy[0]?.label ?? 'the call'
      return [{ kind: 'silence', where, what: `the caller heard nothing for ${timeText(waited)}` }]
    }),
  ]
}

/** What a function has said that the caller did not hear. */
function unheardOf({ label: where, speeches }: CodeRun): Found[] {
  return speeches.flatMap(({ text, speech: { outcome } }): Found[] => {
    const heard = outcome?.heard ?? ''
    if (outcome?.how === 'played' || text.trim() === heard.trim()) return []
    const part = heard === '' ? 'nothing of it' : `only '${heard}'`
    return [
      { kind: 'speech-cut', where, what: `it said '${text}', and ended the call: the caller heard ${part}` },
    ]
  })
}

/** What only the report knows: resources that did not close, for instance. */
function checkReport(record: CallRecord): Found[] {
  const { case: one, reports, stuck } = record
  if (stuck !== undefined)
    return [{ kind: 'endless-loop', where: busiest(record), what: stuck.split('\n')[0]! }]
  const [report] = reports
  if (reports.length !== 1 || !report)
    return [{ kind: 'not-clean', where: 'the session', what: `it emitted ${reports.length} reports` }]
  const isExpected = one.trouble !== undefined || /^(vanishes|hurry|model-fails)$/.test(one.act)
  if (report.clean || isExpected) return []
  return culpritsOf(report).map(({ name, outcome, error }) => ({
    kind: 'not-clean',
    where: `'${name}'`,
    what: `${outcome}${error ? `: ${error.message}` : ''}`,
  }))
}

function busiest({ runs }: CallRecord): string {
  const busy = runs.find((run) => run.isRunning) ?? runs.find(({ timers }) => timers.size > 0)
  return busy?.label ?? 'the agent'
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined
}
