import type { SessionReport } from '../../../session/index.ts'
import type { Journal } from '../journal.ts'
import { optionalText, type Database, type Query } from './database.ts'

type RecordingMethods = Pick<Journal, 'addRecording'>

export const recordingMethods = (db: Database): RecordingMethods => ({
  addRecording(call, { id, url, duration }) {
    return db.transaction(async (query) => {
      const [known] = await query('select id from {calls} where id = $1', call)
      if (!known) return false
      await query(
        `insert into {recordings} (call, id, url, duration, at) values ($1, $2, $3, $4, {now})
         on conflict (call, id) do nothing`,
        call,
        id,
        url,
        duration,
      )
      return true
    })
  },
})

/** The report of a call, with the recordings that its carrier has. */
export async function withRecordings(query: Query, report: SessionReport): Promise<SessionReport> {
  const rows = await query('select url from {recordings} where call = $1 order by at, id', report.id)
  if (rows.length === 0) return report
  const recordings = rows.map((row) => {
    const place = optionalText(row, 'url')
    return place === undefined ? { complete: false } : { place, complete: true }
  })
  return { ...report, recordings: [...(report.recordings ?? []), ...recordings] }
}
