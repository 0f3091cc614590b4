import {
  Archive,
  Operations,
  type CallQuery,
  type HostState,
  type Journal,
  type RetryQuery,
  type SessionDetails,
  type SessionSummary,
  type WorkCounts,
  type WorkQuery,
  type WorkRecord,
} from '../../host/index.ts'
import { EndwellError } from '../../scope/index.ts'
import type { Operator } from './operator.ts'

/** Reads and writes the journal itself, where no host answers. */
export class JournalOperator implements Operator {
  readonly #journal: Journal
  readonly #archive: Archive
  readonly #operations: Operations

  constructor(journal: Journal) {
    this.#journal = journal
    this.#archive = new Archive(journal)
    this.#operations = new Operations({ journal })
  }

  sessions(query: CallQuery): Promise<readonly SessionSummary[]> {
    return this.#archive.list(query)
  }

  details(call: string): Promise<SessionDetails | undefined> {
    return this.#archive.details(call)
  }

  async closeCall(call: string): Promise<'ordered'> {
    if (await this.#operations.order({ call, order: 'close' })) return 'ordered'
    const record = await this.#journal.find(call)
    if (!record) throw new EndwellError('NO_SUCH_SESSION', `there is no call '${call}' in the journal`)
    if (record.state === 'closed') throw new EndwellError('SESSION_CLOSED', `call '${call}' has ended`)
    throw new EndwellError('HOST_LOST', `the process of call '${call}' is gone: the next host ends the call`)
  }

  hosts(): Promise<readonly HostState[]> {
    return this.#operations.hosts()
  }

  async drain(given: string | undefined): Promise<string> {
    const hosts = await this.hosts()
    const only = hosts.length === 1 ? hosts[0]?.id : undefined
    const host = given ?? only
    const ids = hosts.map(({ id, name }) => `${id} (${name})`).join(', ')
    if (host === undefined)
      throw new EndwellError(
        'NO_SUCH_HOST',
        ids === '' ? 'there is no host' : `choose one with --host: ${ids}`,
      )
    if (await this.#operations.drain(host)) return host
    throw new EndwellError('NO_SUCH_HOST', `there is no host '${host}'`)
  }

  work(query: WorkQuery): Promise<{ work: readonly WorkRecord[]; counts: WorkCounts }> {
    return this.#operations.work(query)
  }

  retry(query: RetryQuery): Promise<number> {
    return this.#operations.retry(query)
  }

  close(): Promise<void> {
    return this.#journal.close()
  }
}
