import type { HuntCaseView } from './hunt-case.ts'

/** What did not end well. `docs/hunt.md` has a section for each. */
export type FindingKind =
  | 'ignores-signal'
  | 'never-ends'
  | 'late-hook'
  | 'throws'
  | 'uncaught-error'
  | 'left-open'
  | 'left-timer'
  | 'runs-twice'
  | 'speech-cut'
  | 'silence'
  | 'no-answer'
  | 'blocked-loop'
  | 'endless-loop'
  | 'not-clean'
  | 'ends-process'

/** Something that was found in one call. */
export interface Found {
  readonly kind: FindingKind
  /** The part of the agent: `the tool 'book'`. Findings of the same kind and part are one. */
  readonly where: string
  /** In plain words, what happened in this call. */
  readonly what: string
  /** The stack that leads to the line of code, if it is known. */
  readonly stack?: string | undefined
}

/** A line of the agent's code. */
export interface CodeLine {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly function?: string
  /** The text of the line. */
  readonly text?: string
}

/** Something that did not end well in some calls of a hunt. */
export interface HuntFinding {
  readonly kind: FindingKind
  /** `failure`: a caller or the process suffers. `warning`: worth a look; does not fail the hunt. */
  readonly severity: 'failure' | 'warning'
  readonly where: string
  /** One line: `the tool 'book' did not stop when it was asked`. */
  readonly title: string
  /** What happened in the smallest case. */
  readonly what: string
  readonly advice: string
  readonly docs: string
  /** In how many calls it happened. */
  readonly times: number
  /** The numbers of these calls, the first ones. */
  readonly cases: readonly number[]
  /** The smallest case that shows it. */
  readonly case: HuntCaseView
  readonly line?: CodeLine
  /** The story of the smallest case. */
  readonly story: string
  /** The report of the smallest case, printed. */
  readonly report: string
}

interface KindText {
  readonly severity: HuntFinding['severity']
  readonly title: (where: string) => string
  readonly advice: string
  /** In how many calls it must be seen: one alone may be a pool that all calls share. Default: 1. */
  readonly needs?: number
}

const guide = 'https://github.com/endwell/endwell/blob/main/docs/hunt.md'

export function docsFor(kind: FindingKind): string {
  return `${guide}#${kind}`
}

export const kindTexts: Readonly<Record<FindingKind, KindText>> = {
  'ignores-signal': {
    severity: 'failure',
    title: (where) => `${where} did not stop when it was asked`,
    advice:
      'Pass `signal` to everything it awaits: fetch(url, { signal }), sleep(ms, undefined, { signal }), a query. If it must finish, give it `finishWithin`.',
  },
  'never-ends': {
    severity: 'failure',
    title: (where) => `${where} never ended`,
    advice: 'Bound everything it awaits. The code after its await, `finally` blocks included, never runs.',
  },
  'late-hook': {
    severity: 'failure',
    title: (where) => `${where} took longer than hookTimeout`,
    advice:
      'Do not await speech or slow work in a hook: start it, and let the hook return. Or raise `hookTimeout` of the session.',
  },
  throws: {
    severity: 'failure',
    title: (where) => `${where} threw an error`,
    advice: 'Catch what can go wrong there. The call goes on, but what the code was to do was not done.',
  },
  'uncaught-error': {
    severity: 'failure',
    title: (where) => `${where} left an error that nothing caught`,
    advice:
      'Await or catch every promise. Without a hunt around it, this ends the process and every call in it.',
  },
  'left-open': {
    severity: 'failure',
    title: (where) => `${where} left something open after the call`,
    advice: 'Give it to the tool’s scope with `own(name, thing)`, or close it in a `finally`.',
    needs: 2,
  },
  'left-timer': {
    severity: 'warning',
    title: (where) => `${where} left a timer behind`,
    advice: 'Clear it when the signal aborts, or `unref()` it.',
    needs: 2,
  },
  'runs-twice': {
    severity: 'failure',
    title: (where) => `${where} ran twice at the same time, with the same input`,
    advice:
      'Make it stop at its signal before it is called again, or make a second run harmless with an idempotency key.',
  },
  'speech-cut': {
    severity: 'failure',
    title: (where) => `${where} said something that the caller did not hear`,
    advice: 'Say the last words with hangUp({ say }), which waits until the caller has heard them.',
  },
  silence: {
    severity: 'warning',
    title: (where) => `${where} kept the caller waiting in silence`,
    advice: 'Give the tool a `filler`, or let it say something while it works.',
  },
  'no-answer': {
    severity: 'failure',
    title: () => 'a turn of the caller was never answered',
    advice: 'Look for a hook, guardrail or stage that swallows the turn or its answer.',
  },
  'blocked-loop': {
    severity: 'failure',
    title: (where) => `${where} blocks the event loop`,
    advice:
      'Every call in the process stands still meanwhile. Use an asynchronous function, or a worker thread.',
  },
  'endless-loop': {
    severity: 'failure',
    title: (where) => `${where} goes on without an end`,
    advice: 'Let the loop end when its signal aborts.',
  },
  'not-clean': {
    severity: 'failure',
    title: (where) => `the close was not clean: ${where}`,
    advice: 'The report names what failed or had to be forced.',
  },
  'ends-process': {
    severity: 'failure',
    title: (where) => `${where} ended the process`,
    advice:
      'Never call process.exit() in an agent: it ends every call in the process. Blocking code ends it, too.',
  },
}
