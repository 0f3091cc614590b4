import { redact } from '../../link/index.ts'
import { silentLogger, type Logger } from '../../parts/index.ts'
import {
  EndwellError,
  MachineShell,
  OptionError,
  Scope,
  callOut,
  clip,
  describeError,
  duration,
  noop,
  shelter,
  systemRandom,
  type Random,
  type ScopeReport,
  type TaskHandle,
  type Untimed,
} from '../../scope/index.ts'
import type { ClaimedWork, WorkOutcome } from '../journal/journal.ts'
import { handlersByName, type AfterCallHandler, type AfterCallHandlers } from './after-call.ts'
import { JournalCalls, type WorkJournal } from './journal-calls.ts'
import { limits } from './limits.ts'
import type { CancelCause, HandlerResult, WorkCommand, WorkEvent } from './work-events.ts'
import { WorkMachine } from './work-machine.ts'

/** One attempt at after-call work that has ended, for metrics. */
export interface WorkAttempt {
  readonly handler: string
  readonly call: string
  readonly key: string
  readonly attempt: number
  /** `lost`: another process has taken the work over, and the outcome was not written. */
  readonly outcome: WorkOutcome['state'] | 'lost'
  readonly error?: string
}

export interface WorkRunnerOptions {
  /** Closing it closes the runner: handlers may finish until shortly before its deadline. Close the journal after that. */
  readonly scope: Scope<string>
  readonly journal: WorkJournal
  /** Names this process in the journal. Must be new each time a process starts. */
  readonly owner: string
  readonly handlers: AfterCallHandlers
  /** How many handlers run at once. Default: 8. */
  readonly concurrency?: number
  /** How long a handler may take. Default: 60 s. */
  readonly timeout?: number
  /** How long a claim lasts unless it is renewed: the time until another process takes over from a dead one. Default: 30 s. */
  readonly lease?: number
  readonly random?: Random
  readonly logger?: Logger
  /** Called for every attempt whose outcome is known. */
  readonly onAttempt?: (attempt: WorkAttempt) => void
}

type RunnerEvent =
  Untimed<WorkEvent> extends infer Event ? (Event extends object ? Omit<Event, 'jitter'> : never) : never

/** What is left of the scope's time when handlers that still run are cancelled: time to write down and to release. */
const RESERVE = 2_000

/**
 * Runs after-call work from a journal: claims what is due, calls the handlers, and writes down what became of it (HO2).
 * It can run in a process of its own: it needs a journal and the handlers, and nothing of a call.
 *
 *   journal ──claim──▶ WorkMachine ──run──▶ handler(report, { key, attempt, signal })
 *      ▲                 │   ▲                 │
 *      └── renew, settle ┘   └──── ended ──────┘
 *
 * Nothing polls. A journal with `onWake` says itself when work may have become due. Call `wake()` otherwise: after a call
 * was closed, after another host was declared dead, and after `retry`.
 */
export class WorkRunner {
  readonly #options: WorkRunnerOptions
  readonly #handlers: ReadonlyMap<string, AfterCallHandler>
  readonly #logger: Logger
  readonly #random: Random
  readonly #machine: WorkMachine
  readonly #shell: MachineShell<WorkEvent, WorkCommand>
  /** Closes with the scope of the options. */
  readonly #life: Scope
  /** Has the handlers, the calls to the journal and the timers. They go on while `#life` waits for handlers to finish. */
  readonly #inner: Scope
  readonly #journal: JournalCalls
  readonly #lease: number
  readonly #tasks = new Map<number, TaskHandle<unknown>>()
  readonly #unsubscribe: () => void
  #stopped: () => void = noop

  constructor(options: WorkRunnerOptions) {
    const { scope, journal, concurrency = 8, timeout = 60_000, lease = 30_000 } = options
    if (!Number.isInteger(concurrency) || concurrency < 1)
      throw new OptionError(`concurrency must be a whole number, 1 or more; it is ${concurrency}`)
    duration('timeout', timeout)
    duration('lease', lease)
    this.#options = options
    this.#handlers = handlersByName(options.handlers)
    this.#logger = shelter(options.logger ?? silentLogger, ['debug', 'info', 'warn', 'error'], noop)
    this.#random = options.random ?? systemRandom
    this.#lease = lease
    this.#machine = new WorkMachine({ concurrency, timeout, lease })
    this.#life = scope.child('after-call work', { reserve: RESERVE })
    this.#inner = new Scope('after-call handlers', { clock: scope.clock })
    this.#journal = new JournalCalls(this.#inner, journal)
    this.#shell = new MachineShell(this.#machine, this.#inner, {
      name: 'after-call work',
      carryOut: (command) => this.#carryOut(command),
      timerEvent: (timer, due) => ({ type: 'timer', timer, due, jitter: this.#random.next() }),
    })
    this.#attach()
    this.#unsubscribe = journal.onWake?.((what) => what === 'work' && this.wake()) ?? noop
    this.wake()
  }

  /** Work may be due. Cheap: calls during a claim are merged into one. */
  wake(): void {
    this.#handle({ type: 'wake' })
  }

  /** Claims nothing more, lets running handlers finish, and makes the rest due for others. Never rejects. */
  close(options?: { readonly reason?: string; readonly closeTimeout?: number }): Promise<ScopeReport> {
    return this.#life.close(options)
  }

  /** What is under way, for display. */
  get status(): { readonly running: number; readonly unwritten: number; readonly abandoned: number } {
    const { attempts, abandoned } = this.#machine.state
    const unwritten = [...attempts.values()].filter(({ stage }) => stage.is === 'settling').length
    return { running: attempts.size - unwritten, unwritten, abandoned: abandoned.size }
  }

  /** Makes the closing scope wait: until the machine has stopped, or its time is up. */
  #attach(): void {
    const stopped = new Promise<void>((resolve) => {
      this.#stopped = resolve
    })
    this.#life.own('after-call handlers', {
      closing: () => this.#handle({ type: 'close' }),
      close: async () => {
        await stopped
        const { abandoned } = this.status
        if (abandoned > 0)
          throw new EndwellError(
            'STILL_RUNNING',
            `${abandoned} after-call handlers ignore their signal and still run`,
          )
      },
      abort: () => this.#end(),
      inspect: () => this.status,
    })
    // The kernel cancels a shielded task as late as the deadline allows: then there is no more time to finish.
    this.#life.spawn(
      'finish handlers',
      ({ onCancel }) => {
        onCancel(() => this.#handle({ type: 'hurry' }))
        return stopped
      },
      { shield: Number.MAX_SAFE_INTEGER },
    )
  }

  #handle(event: RunnerEvent): void {
    this.#shell.handle({ ...event, jitter: this.#random.next() })
  }

  #carryOut(command: Exclude<WorkCommand, { readonly type: 'set-timer' | 'clear-timer' }>): void {
    const { owner } = this.#options
    switch (command.type) {
      case 'claim':
        return this.#claim(command.limit)
      case 'renew':
        return this.#journal.call(
          'renew',
          (journal) => journal.renew(owner, command.work, this.#lease),
          (keys) => this.#handle({ type: 'renewed', keys }),
          (error) => this.#failed('renew', error, { type: 'renew-failed' }),
        )
      case 'run':
        return this.#run(command.attempt, command.work)
      case 'cancel':
        return this.#cancel(command.attempt, command.cause)
      case 'abandon':
        this.#logger.error(
          { attempt: command.attempt },
          'an after-call handler ignores its signal and was abandoned',
        )
        return undefined
      case 'settle':
        return this.#settle(command)
      case 'release':
        return this.#journal.call(
          'release',
          (journal) => journal.release(owner),
          () => this.#handle({ type: 'released' }),
          (error) => this.#failed('release', error, { type: 'released' }),
        )
      case 'stopped':
        return this.#end()
    }
  }

  #claim(limit: number): void {
    const { owner, scope } = this.#options
    this.#journal.call(
      'claim',
      (journal) => journal.claim(owner, { limit, lease: this.#lease }),
      ({ items, nextIn }) => {
        const date = scope.clock.date()
        this.#handle({
          type: 'claimed',
          items: items.map((work) => ({
            work,
            age: Math.max(0, date - work.since),
            known: this.#handlers.has(work.handler),
          })),
          ...(nextIn !== undefined && nextIn >= 0 ? { nextIn } : {}),
        })
      },
      (error) => this.#failed('claim', error, { type: 'claim-failed' }),
    )
  }

  #run(attempt: number, work: ClaimedWork): void {
    const { key, call, trace, report } = work
    const handler = this.#handlers.get(work.handler)!
    const task = this.#inner.spawn(`${work.handler} after ${call}`, ({ signal }) =>
      handler(report, {
        key,
        call,
        attempt: work.attempt,
        signal,
        ...(trace === undefined ? {} : { trace }),
      }),
    )
    this.#tasks.set(attempt, task)
    const ended = (result: HandlerResult): void => {
      this.#tasks.delete(attempt)
      this.#handle({ type: 'ended', attempt, result })
    }
    task.result.then(
      () => ended({ how: 'done' }),
      (error: unknown) => ended(resultOf(error)),
    )
  }

  #cancel(attempt: number, cause: CancelCause): void {
    this.#tasks.get(attempt)?.cancel(reasons[cause])
  }

  #settle({ attempt, work, fence, outcome }: Extract<WorkCommand, { readonly type: 'settle' }>): void {
    this.#journal.call(
      'settle',
      (journal) => journal.settle({ key: work.key, fence }, outcome),
      (written) => {
        this.#note(work, written ? outcome : undefined)
        this.#handle({ type: 'settled', attempt, written })
      },
      (error) => this.#failed('settle', error, { type: 'settle-failed', attempt }),
    )
  }

  /** Logs and reports how an attempt ended. Undefined if its outcome was refused. */
  #note({ handler, call, key, attempt }: ClaimedWork, outcome: WorkOutcome | undefined): void {
    const { onAttempt } = this.#options
    const what = { handler, call, key, attempt }
    const error = outcome && 'error' in outcome ? { error: outcome.error } : {}
    if (!outcome) this.#logger.warn(what, reasons.lost)
    else if (outcome.state === 'done') this.#logger.info(what, 'after-call work is done')
    else if (outcome.state === 'dead') this.#logger.error({ ...what, ...error }, 'after-call work is dead')
    else this.#logger.warn({ ...what, ...error, delay: outcome.delay }, 'after-call work failed and waits')
    if (onAttempt) callOut(() => onAttempt({ ...what, outcome: outcome?.state ?? 'lost', ...error }), noop)
  }

  #failed(call: string, error: unknown, event: RunnerEvent): void {
    this.#logger.warn({ call, error: describeError(error) }, 'the journal failed and is asked again')
    this.#handle(event)
  }

  /** Ends everything now. What is still claimed falls due when its lease runs out. */
  #end(): void {
    this.#unsubscribe()
    this.#shell.stop()
    this.#inner.abort('after-call work was stopped')
    this.#stopped()
  }
}

/** Why a handler's signal aborts. */
const reasons: Readonly<Record<CancelCause, string>> = {
  timeout: 'the time for this attempt is up',
  lost: 'another process has taken this work over: the outcome of this attempt is not written',
  closing: 'this process ends: the work will be tried again by another',
}

/** What a handler's error means for its work. By code, because the agent file may have its own copy of endwell. */
function resultOf(error: unknown): HandlerResult {
  const { name, message, code } = describeError(error)
  const text = clip(redact(code === undefined ? `${name}: ${message}` : `${code}: ${message}`), limits.error)
  if (code === 'UNRECOVERABLE') return { how: 'unrecoverable', error: text }
  const delay = code === 'RETRY_LATER' ? delayOf(error) : undefined
  return { how: 'failed', error: text, ...(delay === undefined ? {} : { delay }) }
}

function delayOf(error: unknown): number | undefined {
  const delay = callOut(() => (error as { readonly delay?: unknown }).delay, noop)
  return typeof delay === 'number' && delay >= 0 ? delay : undefined
}
