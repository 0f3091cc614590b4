import { afterAll, describe } from 'vitest'
import { openJournal, type Journal } from '../../../src/host/index.ts'
import { databaseUrl, dropSchema, newSchema, runSql } from '../../postgres/database.ts'
import { conform } from './conform.ts'

describe('[HO13] [HO15] the journal in Postgres', () => {
  // One schema for all checks, which is emptied in between: to create one takes longer than a check.
  const schema = newSchema()
  afterAll(async () => dropSchema(await databaseUrl(), schema))

  conform(async () => {
    const url = await databaseUrl()
    const opened: Journal[] = []
    const another = async (): Promise<Journal> => {
      const journal = await openJournal({ url, schema })
      opened.push(journal)
      return journal
    }
    const end = async (): Promise<void> => {
      await Promise.all(opened.map((journal) => journal.close()))
      await runSql(
        url,
        `delete from ${schema}.calls`,
        `delete from ${schema}.hosts`,
        `delete from ${schema}.dials`,
      )
    }
    return { journal: await another(), another, end }
  })
})
