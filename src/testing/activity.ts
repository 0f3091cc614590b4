import type { Intercept, TaskContext } from '../scope/index.ts'
import type { Session, Speech } from '../session/index.ts'

interface Work {
  readonly name: string
}

interface Call {
  readonly id: string
  readonly name: string
  readonly input: string
  /** The answers that ran when it was called: the one that called it is among them, and waits for it. */
  readonly replies: readonly Work[]
  /** The person it waits for: one who approves, or the caller, who talks to a nested agent. */
  waits: 'approval' | 'caller' | undefined
}

/** Tasks of the parts, of toolsets and after the call may run for ever. Those of tools are counted as calls. */
const elsewhere = /^after call |\/(links|toolset |tool )/

/**
 * What a session is doing, seen from outside: by the tasks that its scope runs, and by its events. It is idle when only
 * the caller, or whoever approves, can make something happen. True answers come when every microtask has run.
 */
export class Activity {
  readonly #changed: () => void
  readonly #tasks = new Set<Work>()
  readonly #calls = new Set<Call>()
  readonly #sounding = new Set<Speech>()
  #session: Session | undefined
  #closed = false

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Counts the tasks that run, whatever else is done to them. */
  counting(intercept: Intercept): Intercept {
    return (at, run) => {
      const work = intercept(at, run)
      if (at.kind !== 'task' || elsewhere.test(at.scope)) return work
      return (input) => this.#count(at.name, input, () => work(input))
    }
  }

  watch(session: Session): void {
    this.#session = session
    session.on('speaking', ({ speech }) => this.#sounding.add(speech))
    session.on('spoken', ({ speech }) => {
      this.#sounding.delete(speech)
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

  /** A call waits for a person, or does so no longer. */
  waits(id: string, waits: Call['waits']): void {
    const call = this.#find(id)
    if (call) call.waits = waits
    this.#changed()
  }

  get speaking(): boolean {
    return this.#sounding.size > 0
  }

  /** The calls that wait for an approval. */
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

  /** What it is busy with. */
  get doing(): string[] {
    const waiting = [...this.#calls].filter(({ waits }) => waits)
    const parked = new Set(waiting.flatMap(({ replies }) => replies))
    // An equal call may share the result of one that waits.
    const parks = ({ name, input }: Call): boolean =>
      waiting.some((other) => other.name === name && other.input === input)
    return [
      ...[...this.#tasks].filter((work) => !parked.has(work)).map(({ name }) => name),
      ...[...this.#calls].filter((call) => !parks(call)).map(({ name }) => `tool ${name}`),
      ...[...this.#sounding].map(({ id }) => `sound of speech ${id}`),
    ]
  }

  #find(id: string): Call | undefined {
    return [...this.#calls].find((call) => call.id === id)
  }

  /** One that was cancelled does not count: the session has given it up, whether it ends or not. */
  #count(name: string, input: TaskContext | AbortSignal, run: () => unknown): unknown {
    const work: Work = { name }
    const over = (): void => {
      if (this.#tasks.delete(work)) this.#changed()
    }
    this.#tasks.add(work)
    if ('onCancel' in input) input.onCancel(over)
    try {
      const outcome = run()
      Promise.resolve(outcome).then(over, over)
      return outcome
    } catch (error) {
      over()
      throw error
    }
  }
}
