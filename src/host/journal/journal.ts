import type { HistoryItem, SessionReport } from '../../session/index.ts'

// The journal: what must outlive the process that serves a call. One interface, on SQLite for one machine and on Postgres
// for many. It has six tables:
//
//   hosts     who is alive: each host renews its lease while it runs
//   calls     who owns a call, and its report once it has ended
//   entries   what was said and done in a call, as it happens
//   work      what is to be done after a call, and how far it got
//   dials     attempts to call somebody: one key never dials twice
//   recordings   what carriers have recorded, and where it is
//
// The lease belongs to the host, the fence to the call and to its work. Every write of a call carries the fence under
// which its writer owns it; a writer that has lost the call finds the fence raised, and is refused (HO5). Only the
// database's clock decides whether a lease is over, so that hosts need not agree about the time.

/** A process that takes calls, as other hosts see it. */
export interface HostRecord {
  /** New each time the host starts, and each time it was declared dead. */
  readonly id: string
  /** The name that an operator gave it. */
  readonly name: string
  readonly version: string
  /** How many calls it takes at once. */
  readonly capacity: number
}

export interface HostState extends HostRecord {
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly leaseUntil: number
  readonly draining: boolean
  /** Whether the lease is over, by the database's clock. */
  readonly expired: boolean
}

export type CallState = 'live' | 'closed'

/** The process that serves a call. */
export interface Owner {
  /** The id of its host. */
  readonly host: string
  /** Its name within the host, like `w2`. */
  readonly worker: string
  /** Where other processes reach it: `10.0.0.5:40123`. */
  readonly address: string
}

export interface NewCall {
  readonly id: string
  readonly owner: Owner
  readonly agent: string
  /** The line it came in on: `phone`, `browser`. */
  readonly line: string
  /** Who calls, as it may be shown: `phone …17`, `browser`. */
  readonly from?: string
  /** What another process needs to go on with the call, or to hang it up at the carrier. Kept until the call has ended. */
  readonly resume?: CallResume
  /** The W3C `traceparent` of the request that began the call. */
  readonly trace?: string
  /** Milliseconds since the epoch. */
  readonly openedAt: number
  /** The names of the handlers to run after the call (HO2). */
  readonly work: readonly string[]
}

/** What another process needs to go on with a call whose process is gone. */
export interface CallResume {
  /** The carrier's account, for a phone call. */
  readonly account?: string
  /** The key that lets a page come back, hashed. */
  readonly key?: string
  readonly sampleRate?: number
  /** Where the call is recorded. */
  readonly recording?: string
  /** What the call was dialled with, or the query of its webhook. The carrier does not say it a second time. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** Something that happened in a call. */
export interface Entry {
  /** Counts up from 1 within a call. The same number again is ignored, so a write may be repeated. */
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** An item of the history as it is now. A later entry for the same item replaces it. */
  readonly item: HistoryItem
}

/** A write about a call. Writing the same thing twice changes nothing. */
export type CallWrite =
  | { readonly type: 'open'; readonly call: NewCall }
  | {
      readonly type: 'entries'
      readonly call: string
      readonly fence: number
      readonly entries: readonly Entry[]
    }
  | {
      readonly type: 'close'
      readonly call: string
      readonly fence: number
      readonly report: SessionReport
      /** What a list of calls shows of the report. */
      readonly summary?: CallSummary
    }

/**
 * `fenced`: the call belongs to another process now, or has been closed. A call that is opened has the fence 1.
 *
 * A repeated write is `written` as long as no other process has taken the call: entries that are there already, and a
 * close of a call that was closed under the same fence. To open a call again is only `written` while the call is live.
 */
export type WriteResult = 'written' | 'fenced'

export interface CallRecord {
  readonly id: string
  readonly state: CallState
  /** Who serves it. Absent while it is an orphan: its process is gone, and its host has not closed it yet. */
  readonly owner?: Owner
  readonly host: string
  readonly fence: number
  readonly agent: string
  readonly line: string
  readonly from?: string
  readonly resume?: CallResume
  readonly trace?: string
  readonly openedAt: number
  readonly endedAt?: number
  /** When it became an orphan, by the database's clock. */
  readonly orphanedAt?: number
  /** The call is live, and the lease of its host is over. Only set by `find`. */
  readonly hostLost?: true
  readonly reason?: string
  readonly clean?: boolean
  readonly summary?: CallSummary
}

/** What the writer of a report wants a list to show of it. A list can be sorted by these fields; it may have more. */
export interface CallSummary {
  /** The first words of the call. `redact` removes them. */
  readonly words?: string
  /** The tools that failed. */
  readonly failedTools?: readonly string[]
  /** In milliseconds. */
  readonly lived?: number
  readonly latency?: { readonly p95: number }
  readonly cost?: { readonly total: number }
}

/** `slowest`: by the response time that one answer in twenty exceeds. `dearest`: by cost. */
export type CallSort = 'newest' | 'slowest' | 'dearest' | 'longest'

/** A call that lost its process, with what was said in it. */
export interface LostCall extends CallRecord {
  readonly entries: readonly Entry[]
  /** Why its process is gone, if its host knows: what blocked the event loop. Not in the journal. */
  readonly culprit?: string
}

/** `words`, `wrong` and `sort` look at the newest 10,000 calls that match the rest of the query. */
export interface CallQuery {
  readonly state?: CallState
  readonly clean?: boolean
  /** Whether the call is not clean, or a tool failed in it. Only of calls that have ended. */
  readonly wrong?: boolean
  /** A text that occurs in the id, the agent, the caller, the reason, or what was said, in upper or lower case. */
  readonly words?: string
  /** Default: `newest`. Other orders leave out calls that lack the figure, such as those that are live. */
  readonly sort?: CallSort
  /** Only calls that opened at this time or later. */
  readonly since?: number
  /** Only calls that opened before this time: for the next page. Newest calls come first. */
  readonly before?: number
  /** The id of the last call of the page: includes those that opened at `before` as well, and come after it. */
  readonly beforeId?: string
  /** Default: 100. */
  readonly limit?: number
}

/** Something that an operator or another host asks of the process that serves a call. */
export interface Order {
  readonly call: string
  readonly order: 'close' | 'interrupt' | 'drain'
}

/** What there may be more of: orders for a host, or work that is due. */
export type Wake = 'orders' | 'work'

export type WakeListener = (what: Wake, host?: string) => void

/** The answer to a heartbeat. */
export interface Beat {
  /** Orders for the host's calls. Each is handed out once. */
  readonly orders: readonly Order[]
  /** Set if the host takes no more calls: its own decision, or an operator's. */
  readonly draining?: true
}

export type WorkState = 'waiting' | 'running' | 'done' | 'dead'

export interface WorkRecord {
  /** Unique for a call and a handler. Receivers recognise a repetition by it. */
  readonly key: string
  readonly call: string
  readonly handler: string
  readonly state: WorkState
  /** Absent until the call has ended. */
  readonly dueAt?: number
  readonly attempts: number
  readonly error?: string
  readonly doneAt?: number
}

/** Work that was claimed: nobody else runs it until its lease is over. */
export interface ClaimedWork {
  readonly key: string
  readonly call: string
  readonly handler: string
  readonly fence: number
  /** Counts this attempt: 1 for the first. */
  readonly attempt: number
  /** When the first attempt was due. */
  readonly since: number
  readonly trace?: string
  readonly report: SessionReport
}

export type WorkOutcome =
  | { readonly state: 'done' }
  | { readonly state: 'dead'; readonly error: string }
  /** Tried again after `delay` milliseconds. */
  | { readonly state: 'waiting'; readonly delay: number; readonly error: string }

export interface Claim {
  readonly items: readonly ClaimedWork[]
  /** Milliseconds until more is due: work that waits, or that another owner has claimed. */
  readonly nextIn?: number
}

export interface WorkQuery {
  readonly state?: WorkState
  readonly call?: string
  readonly limit?: number
}

export interface WorkCounts {
  /** Work of calls that have ended. */
  readonly waiting: number
  readonly running: number
  readonly dead: number
  /** Milliseconds since the oldest work that is waiting or running first fell due. */
  readonly oldest: number
}

/** An attempt to call somebody, before anything is dialled. */
export interface NewDial {
  /** One key never dials twice (DI4). */
  readonly key: string
  /** Identifies the attempt in the carrier's webhooks. Random. */
  readonly ticket: string
  /** The process that dials. */
  readonly owner: Owner
}

/** How an attempt to call somebody has ended. */
export interface DialEnd {
  /** As `DialReport` has it: `answered`, `busy`, `unknown`, … */
  readonly outcome: string
  /** The carrier's name for the call. */
  readonly call?: string
  readonly why?: string
  /** How long it took until the outcome was known, in milliseconds. */
  readonly took?: number
}

export interface DialRecord extends NewDial, Partial<DialEnd> {
  /** Milliseconds since the epoch. */
  readonly claimedAt: number
}

/** A recording of a call that its carrier keeps. */
export interface CallRecording {
  /** The carrier's name for it. */
  readonly id: string
  /** Absent if it could not be made. */
  readonly url?: string
  /** In milliseconds. */
  readonly duration?: number
}

/** Rejects with `JournalUnavailableError` while the database cannot be reached or cannot write. */
export interface Journal {
  // ── hosts ──

  /** A host begins. Its lease lasts for `lease` milliseconds. */
  join(host: HostRecord, lease: number): Promise<void>
  /**
   * Renews the lease, even if it is over. Undefined if the host was declared dead, by a host that adopts or takes its
   * calls: it must let go of all of them (HO5).
   */
  beat(host: string, lease: number): Promise<Beat | undefined>
  /** The host takes no more calls. An operator may ask this of any host, which learns it with its next heartbeat. */
  drain(host: string): Promise<void>
  /** The host ends. Whatever it still owns may be adopted at once. */
  leave(host: string): Promise<void>
  hosts(): Promise<readonly HostState[]>

  // ── calls ──

  /** Writes a batch in one transaction. Resolves once all of it is on disk. */
  write(batch: readonly CallWrite[]): Promise<readonly WriteResult[]>
  /** Makes the live calls of a worker that is gone orphans of its host, under a new fence. Its dials are `unknown`. */
  orphan(host: string, worker: string): Promise<readonly LostCall[]>
  /** Makes the live calls of hosts whose lease is over orphans of `host`, under a new fence. No two hosts adopt the same. */
  adopt(host: string, limit: number): Promise<readonly LostCall[]>
  /** The orphans of a host, with what was said in them. */
  orphans(host: string): Promise<readonly LostCall[]>
  /**
   * Hands a call whose process is gone to `owner`, under a new fence. Undefined if it has a living owner, or has ended, or
   * if the lease of the owner's host is over. An owner that asks again gets the same answer, under the same fence.
   */
  take(call: string, owner: Owner): Promise<LostCall | undefined>
  find(call: string): Promise<CallRecord | undefined>
  list(query: CallQuery): Promise<readonly CallRecord[]>
  /** The report, once the call has ended, with the recordings that its carrier keeps. */
  report(call: string): Promise<SessionReport | undefined>
  entries(call: string): Promise<readonly Entry[]>
  /** Leaves an order for the owner of a live call. False if there is none. */
  order(order: Order): Promise<boolean>

  // ── work ──

  /** Claims work that is due, or whose claim has run out, for `lease` milliseconds. */
  claim(owner: string, options: { readonly limit: number; readonly lease: number }): Promise<Claim>
  /** Extends the claims on work that still runs. Returns the keys that are still claimed. */
  renew(
    owner: string,
    work: readonly { readonly key: string; readonly fence: number }[],
    lease: number,
  ): Promise<readonly string[]>
  /** Ends a claim. False if another owner has claimed the work since. Ending a claim again changes nothing. */
  settle(work: { readonly key: string; readonly fence: number }, outcome: WorkOutcome): Promise<boolean>
  /** Makes the running work of an owner that is gone due at once. */
  release(owner: string): Promise<number>
  /**
   * Makes dead or waiting work due now: one piece, that of a call, or all that is dead. Dead work starts over, with attempt
   * 1. Returns how many.
   */
  retry(query: { readonly key?: string; readonly call?: string }): Promise<number>
  work(query: WorkQuery): Promise<readonly WorkRecord[]>
  workCounts(): Promise<WorkCounts>

  // ── dials ──

  /** Claims a key. Returns the attempt that has it: the one that is passed, if its ticket is the same. */
  claimDial(dial: NewDial): Promise<DialRecord>
  /**
   * Writes how an attempt has ended. An outcome other than `unknown` is final. Without one, nothing was dialled, and the key
   * is free again. False if there is no such attempt without a final outcome.
   */
  settleDial(ticket: string, end: DialEnd | undefined): Promise<boolean>
  /** An attempt without an outcome whose process is gone is `unknown`. */
  findDial(query: { readonly key: string } | { readonly ticket: string }): Promise<DialRecord | undefined>

  // ── recordings ──

  /** Adds a recording to the report of a call, before or after its end. False if there is no such call. Repeating it changes nothing. */
  addRecording(call: string, recording: CallRecording): Promise<boolean>

  // ── upkeep ──

  /**
   * Deletes calls that ended before a time and whose work is done or dead, `limit` at most. Returns how many. Also deletes
   * attempts to call somebody that began before that time.
   */
  prune(before: number, limit: number): Promise<number>
  /**
   * Removes what was said from the report and the entries of a call, also from those that are yet to be written. The rest
   * stays. False if there is no such call.
   */
  redact(call: string): Promise<boolean>
  /**
   * Calls `listener` when there may be orders or work, so that it need not wait for its next heartbeat or poll: `host` has
   * orders, if it is known which, or work is due. Work that falls due because a call has ended wakes only listeners of the
   * same process, because every other host of a large fleet would look for it as well. A journal may miss some. Returns an
   * unsubscribe function.
   */
  onWake?(listener: WakeListener): () => void
  close(): Promise<void>
}
