import type { Claim, ClaimedWork, WorkOutcome, WorkState } from '../../../src/host/journal/journal.ts'
import type { WorkJournal } from '../../../src/host/index.ts'
import type { Clock } from '../../../src/scope/index.ts'
import type { SessionReport } from '../../../src/session/index.ts'
import { never } from '../../../src/testing/never.ts'

export interface FakeWork {
  readonly key: string
  readonly handler: string
  readonly since: number
  readonly trace?: string
  state: WorkState
  /** By the clock of the journal. */
  dueAt: number
  owner?: string
  fence: number
  attempts: number
  error?: string
  /** Every outcome that was written, oldest first. */
  readonly written: WorkOutcome[]
}

type Method = keyof WorkJournal

/** The parts of a journal that after-call work uses, in memory and in virtual time, with everything that can go wrong. */
export class FakeWorkJournal implements WorkJournal {
  readonly work = new Map<string, FakeWork>()
  /** Every call, as `claim 8` or `settle c1:save done`. */
  readonly calls: string[] = []
  /** Methods that reject, and methods that never answer. */
  readonly broken = new Set<Method>()
  readonly silent = new Set<Method>()
  readonly #clock: Clock
  readonly #report: SessionReport | undefined

  /** `report` is that of every call. Default: a short one of its own for each. */
  constructor(clock: Clock, report?: SessionReport) {
    this.#clock = clock
    this.#report = report
  }

  /** Adds work that is due. */
  add(
    key: string,
    options: { readonly handler?: string; readonly trace?: string; readonly age?: number } = {},
  ): FakeWork {
    const { handler = 'save', age = 0, ...rest } = options
    const work: FakeWork = {
      key,
      handler,
      since: this.#clock.date() - age,
      state: 'waiting',
      dueAt: this.#clock.now(),
      fence: 0,
      attempts: 0,
      written: [],
      ...rest,
    }
    this.work.set(key, work)
    return work
  }

  async claim(owner: string, { limit, lease }: { limit: number; lease: number }): Promise<Claim> {
    await this.#enter('claim', `claim ${limit}`)
    const open = [...this.work.values()].filter(({ state }) => state === 'waiting' || state === 'running')
    const items = open.filter(({ dueAt }) => dueAt <= this.#now).slice(0, limit)
    for (const each of items) {
      each.state = 'running'
      each.owner = owner
      each.fence++
      each.attempts++
      each.dueAt = this.#now + lease
    }
    const left = open
      .filter((each) => !items.includes(each))
      .map(({ dueAt }) => Math.max(0, dueAt - this.#now))
    return {
      items: items.map((each) => claimedOf(each, this.#report)),
      ...(left.length > 0 ? { nextIn: Math.min(...left) } : {}),
    }
  }

  async renew(
    owner: string,
    work: readonly { readonly key: string; readonly fence: number }[],
    lease: number,
  ): Promise<readonly string[]> {
    await this.#enter('renew', `renew ${work.map(({ key }) => key).join(' ')}`)
    return work.flatMap(({ key, fence }) => {
      const each = this.work.get(key)
      if (each?.state !== 'running' || each.owner !== owner || each.fence !== fence) return []
      each.dueAt = this.#now + lease
      return [key]
    })
  }

  async settle(
    { key, fence }: { readonly key: string; readonly fence: number },
    outcome: WorkOutcome,
  ): Promise<boolean> {
    await this.#enter('settle', `settle ${key} ${outcome.state}`)
    const each = this.work.get(key)
    if (each?.state !== 'running' || each.fence !== fence) return false
    each.state = outcome.state
    each.written.push(outcome)
    if (outcome.state === 'waiting') each.dueAt = this.#now + outcome.delay
    if (outcome.state !== 'done') each.error = outcome.error
    return true
  }

  async release(owner: string): Promise<number> {
    await this.#enter('release', `release ${owner}`)
    const left = [...this.work.values()].filter((each) => each.state === 'running' && each.owner === owner)
    for (const each of left) {
      each.state = 'waiting'
      each.dueAt = this.#now
    }
    return left.length
  }

  /** Another process claims the work, as if our lease had run out. */
  steal(key: string): void {
    const each = this.work.get(key)!
    each.owner = 'another'
    each.fence++
    each.attempts++
    each.dueAt = this.#now + 30_000
  }

  async #enter(method: Method, call: string): Promise<void> {
    this.calls.push(call)
    if (this.silent.has(method)) await never()
    await Promise.resolve()
    if (this.broken.has(method)) throw new Error('the database is away')
  }

  get #now(): number {
    return this.#clock.now()
  }
}

function claimedOf(
  { key, handler, fence, attempts, since, trace }: FakeWork,
  report?: SessionReport,
): ClaimedWork {
  const call = key.split(':')[0]!
  return {
    key,
    call,
    handler,
    fence,
    attempt: attempts,
    since,
    report: report ?? reportOf(call),
    ...(trace === undefined ? {} : { trace }),
  }
}

/** As much of a report as these tests read. */
export const reportOf = (id: string): SessionReport =>
  ({
    version: 1,
    id,
    reason: 'caller-hung-up',
    askedAt: '2026-01-01T10:00:00.000Z',
    took: 250,
    clean: true,
    transcript: [],
  }) as unknown as SessionReport
