import type { Opened } from '../../guard/hooks.ts'
import type { Speech } from '../../session/index.ts'
import type { VirtualTimer } from './virtual-timer.ts'

/** What a function of an agent file is for. */
export type CodeKind = 'tool' | 'hook' | 'guardrail' | 'listener' | 'stage' | 'toolset' | 'after-call'

/** A function of an agent file that is about to run. */
export interface CodePlace {
  readonly kind: CodeKind
  /** `the tool 'book'`. */
  readonly label: string
  /** The input of a tool, as JSON. */
  readonly input?: string
  /** Milliseconds that a close grants a tool. Default: 0. */
  readonly finishWithin?: number
}

/** Real milliseconds that the hunt waits for a function. */
export interface Patience {
  /** While something real is under way that it may be waiting for. */
  seen: number
  /** In case it waits for work that cannot be seen. */
  unseen: number
}

/** One run of a function of the agent file. All times are virtual milliseconds since the call began. */
export class CodeRun {
  readonly kind: CodeKind
  readonly label: string
  readonly input: string | undefined
  readonly finishWithin: number
  readonly startedAt: number
  /** When its signal was aborted. */
  cancelledAt: number | undefined
  /** Whether that was because the session closed. */
  isClosed = false
  endedAt: number | undefined
  /** What it has thrown. */
  failure: { readonly error: unknown } | undefined
  /** Whether it has read its signal. */
  readsSignal = false
  /** Timers that have neither fired for the last time nor been cleared. */
  readonly timers = new Set<VirtualTimer>()
  /** Connections, processes and the like that have not ended, and the stack that opened them, if it was recorded. */
  readonly opened = new Map<Opened, string | undefined>()
  /** Its calls of `process.exit()`, which the hunt has prevented. */
  readonly exits: Error[] = []
  /** Requests that the hunt has not answered yet, and promises of endwell that have not settled. */
  unanswered = 0
  /** All requests that the hunt answers. */
  requests = 0
  /** What it has said, or was about to say. */
  readonly speeches: { readonly text: string; readonly speech: Speech }[] = []
  /** Other machines that it wanted to reach. */
  readonly refused = new Set<string>()
  /** Real milliseconds that the hunt may still wait for the code. */
  readonly patience: Patience

  constructor({ kind, label, input, finishWithin = 0 }: CodePlace, startedAt: number, patience: Patience) {
    this.kind = kind
    this.label = label
    this.input = input
    this.finishWithin = finishWithin
    this.startedAt = startedAt
    this.patience = patience
  }

  get isRunning(): boolean {
    return this.endedAt === undefined
  }

  /**
   * Whether it is known what the code is waiting for: a timer, an answer of the hunt, or the session. A timer without a reference
   * is a limit of something else, as in `AbortSignal.timeout()`.
   */
  get isAccountedFor(): boolean {
    return this.unanswered > 0 || [...this.timers].some((timer) => timer.hasRef())
  }

  /** Milliseconds from the abort of its signal to its end, or to now. 0 if it was not cancelled. */
  wentOnFor(now: number): number {
    if (this.cancelledAt === undefined) return 0
    return Math.max(0, (this.endedAt ?? now) - this.cancelledAt)
  }
}
