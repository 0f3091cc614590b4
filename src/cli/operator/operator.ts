import type {
  CallQuery,
  HostState,
  RetryQuery,
  SessionDetails,
  SessionSummary,
  WorkCounts,
  WorkQuery,
  WorkRecord,
} from '../../host/index.ts'

/** What the commands for operators do, at a host or in the journal. */
export interface Operator {
  sessions(query: CallQuery): Promise<readonly SessionSummary[]>
  /** Undefined if there is no such call. */
  details(call: string): Promise<SessionDetails | undefined>
  /** Has the process that serves a call close it. `ordered`: it cannot be reached now, and finds an order in the journal. */
  closeCall(call: string): Promise<'closing' | 'ordered'>
  hosts(): Promise<readonly HostState[]>
  /** Has a host take no more calls. Default: the host that was asked. Returns its id. */
  drain(host: string | undefined): Promise<string>
  work(query: WorkQuery): Promise<{ readonly work: readonly WorkRecord[]; readonly counts: WorkCounts }>
  /** Returns how many pieces of work are due now. */
  retry(query: RetryQuery): Promise<number>
  close(): Promise<void>
}
