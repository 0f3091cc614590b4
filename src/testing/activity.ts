import type { Intercept, TaskContext } from '../scope/index.ts'
import type { Session, Speech } from '../session/index.ts'

interface Work {
  readonly name: string
}

interface Call {
  readonly id: string
  readonly name: string
  readonly input: string
  /** The replies that ran when it was called. The one that called it is among them and waits for it. */
  readonly replies: readonly Work[]
  /** Whom it waits for: the person who approves it, or the caller, who talks to a nested agent. */
  waits: 'approval' | 'caller' | undefined
}

/** Tasks of parts, toolsets and after-call work may run forever and are not counted. Tools are counted as calls. */
const uncounted = /^after call |\/(links|toolset |tool )/

/**
 * What a session is doing, as seen in the tasks of its scope and in its events. It is idle when only the caller, or the
 * person who approves a tool call, can make something happen. Correct only after every microtask has run.
 */
export class Activity {
  readonly #changed: () => void
  readonly #tasks = new Set<Work>()
  readonly #calls = new Set<Call>()
  readonly #speeches = new Set<Speech>()
  #session: Session | undefined
  #closed = false

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Wraps an intercept function so that running tasks are counted. */
  counting(intercept: Intercept): Intercept {
    return (at, run) => {
      const work = intercept(at, run)
      if (at.kind !== 'task' || uncounted.test(at.scope)) return work
      return (input) => this.#count(at.name, input, () => work(input))
    }
  }

  watch(session: Session): void {
    this.#session = session
    session.on('speaking', ({ speech }) => this.#speeches.add(speech))
    session.on('spoken', ({ speech }) => {
      this.#speeches.delete(speech)
      this.#changed()
    })
    session.on('tool', ({ id, name, input }) => {
      const replies = [...this.#tasks].filter((work) => work.name.startsWith('reply '))
      this.#calls.add({ id, name, input, replies, waits: undefined })
    })
    session.on('tool-done', ({ id }) => {
      const call = this.#find(id)
      if (call) this.#calls.delete(call)
      this.#changed()
    })
    session.on('approval', ({ id }) => this.waits(id, 'approval'))
    session.on('state', () => this.#changed())
    session.on('closed', () => {
      this.#closed = true
      this.#changed()
    })
  }

  /** Sets whom a call waits for. */
  waits(id: string, waits: Call['waits']): void {
    const call = this.#find(id)
    if (call) call.waits = waits
    this.#changed()
  }

  get speaking(): boolean {
    return this.#speeches.size > 0
  }

  /** The ids of calls that wait for approval. */
  get approvals(): string[] {
    return [...this.#calls].filter(({ waits }) => waits === 'approval').map(({ id }) => id)
  }

  get closed(): boolean {
    return this.#closed
  }

  get idle(): boolean {
    if (this.#closed) return true
    return this.#session?.state === 'live' && this.doing.length === 0
  }

  /** What the session is busy with. */
  get doing(): string[] {
    const waiting = [...this.#calls].filter(({ waits }) => waits)
    const waitingReplies = new Set(waiting.flatMap(({ replies }) => replies))
    // An identical call may share the result of a waiting one.
    const isWaiting = ({ name, input }: Call): boolean =>
      waiting.some((other) => other.name === name && other.input === input)
    return [
      ...[...this.#tasks].filter((work) => !waitingReplies.has(work)).map(({ name }) => name),
      ...[...this.#calls].filter((call) => !isWaiting(call)).map(({ name }) => `tool ${name}`),
      ...[...this.#speeches].map(({ id }) => `playing speech ${id}`),
    ]
  }

  #find(id: string): Call | undefined {
    return [...this.#calls].find((call) => call.id === id)
  }

  /** Counts a task until it ends or is cancelled: the session no longer waits for a cancelled task. */
  #count(name: string, input: TaskContext | AbortSignal, run: () => unknown): unknown {
    const work: Work = { name }
    const ended = (): void => {
      if (this.#tasks.delete(work)) this.#changed()
    }
    this.#tasks.add(work)
    if ('onCancel' in input) input.onCancel(ended)
    try {
      const outcome = run()
      Promise.resolve(outcome).then(ended, ended)
      return outcome
    } catch (error) {
      ended()
      throw error
    }
  }
}
