import type { CallRecord } from './call-record.ts'
import type { CodeKind } from './code-run.ts'

/** What a hunt has run of an agent: one function. */
export interface Covered {
  readonly what: string
  readonly kind: CodeKind
  readonly runs: number
  /** How often it has thrown. */
  readonly failed: number
  /** How often it was asked to stop. */
  readonly stopped: number
  /** Whether it has waited for something real: a file, a socket, a process. */
  readonly isReal: boolean
  /** Other machines that it wanted to reach, and whose answers were the hunt's. */
  readonly hosts: readonly string[]
  /** Why it never ran. */
  readonly why?: string
}

interface Counted {
  readonly kind: CodeKind
  runs: number
  failed: number
  stopped: number
  readonly hosts: Set<string>
}

/** Counts what was run of the agent. */
export class Coverage {
  readonly #counted = new Map<string, Counted>()
  readonly #tools = new Map<string, string>()

  add({ runs, tools, toolErrors }: CallRecord): void {
    for (const { label, kind, failure, cancelledAt, refused } of runs) {
      const counted = this.#counted.get(label) ?? { kind, runs: 0, failed: 0, stopped: 0, hosts: new Set() }
      counted.runs++
      if (failure) counted.failed++
      if (cancelledAt !== undefined) counted.stopped++
      for (const host of refused) counted.hosts.add(host)
      this.#counted.set(label, counted)
    }
    for (const tool of tools)
      this.#tools.set(tool, toolErrors.get(tool) ?? this.#tools.get(tool) ?? 'it was not called')
  }

  list(real: ReadonlySet<string>): Covered[] {
    const ran = [...this.#counted].map(([what, { hosts, ...counts }]): Covered => ({
      what,
      ...counts,
      isReal: real.has(what),
      hosts: [...hosts],
    }))
    const idle = [...this.#tools].flatMap(([name, why]): Covered[] => {
      const what = `the tool '${name}'`
      if (this.#counted.has(what)) return []
      return [{ what, kind: 'tool', runs: 0, failed: 0, stopped: 0, isReal: false, hosts: [], why }]
    })
    return [...ran, ...idle]
  }
}
