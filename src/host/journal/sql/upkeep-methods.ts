import type { SessionReport } from '../../../session/index.ts'
import { redactedItem, redactedReport, redactedSummary } from '../call-texts.ts'
import type { Journal } from '../journal.ts'
import { entriesOf } from './call-rows.ts'
import { listOf, optionalText, text, type Database } from './database.ts'
import { pruneDials } from './dial-methods.ts'
import { idOf } from './host-methods.ts'
import { insertEntries } from './write-calls.ts'

/** How long a dead host without calls is kept, in milliseconds. */
const DEAD_HOST = 3_600_000

type UpkeepMethods = Pick<Journal, 'prune' | 'redact'>

/** Whether all work of a call has ended. */
const hasNoWork =
  "not exists (select 1 from {work} where call = {calls}.id and {work}.state in ('waiting', 'running'))"

export const upkeepMethods = (db: Database): UpkeepMethods => ({
  prune(before, limit) {
    return db.transaction(async (query) => {
      const rows = await query(
        `select id from {calls} where state = 'closed' and ended_at < $1 and ${hasNoWork}
         order by ended_at limit $2 {lock free}`,
        before,
        limit,
      )
      // Not at once: a call that the host opened may still be on its way.
      await query(
        `delete from {hosts} where dead = 1 and lease_until < {now} - ${DEAD_HOST} and not exists
         (select 1 from {calls} where {calls}.host = {hosts}.id and {calls}.state = 'live')`,
      )
      await pruneDials(query, before, limit)
      if (rows.length === 0) return 0
      // The entries and the work of a call are deleted with it.
      const deleted = await query(
        `delete from {calls} where id in {list $1} and ${hasNoWork} returning id`,
        listOf(rows.map(idOf)),
      )
      return deleted.length
    })
  },

  redact(call) {
    return db.transaction(async (query) => {
      const [row] = await query('select id, report, summary from {calls} where id = $1 {lock}', call)
      if (!row) return false
      const id = text(row, 'id')
      const report = optionalText(row, 'report')
      const summary = optionalText(row, 'summary')
      await query(
        'update {calls} set redacted = 1, report = $1, summary = $2 where id = $3',
        report && JSON.stringify(redactedReport(JSON.parse(report) as SessionReport)),
        summary && JSON.stringify(redactedSummary(JSON.parse(summary) as object)),
        id,
      )
      const entries = (await entriesOf(query, [id])).get(id) ?? []
      await query('delete from {entries} where call = $1', id)
      await insertEntries(
        query,
        entries.map((entry) => ({ ...entry, call: id, item: redactedItem(entry.item) })),
      )
      return true
    })
  },
})
