import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ValuesOf } from '../configuration.ts'
import type { operatorSettings } from '../settings.ts'
import { HostOperator, HostUnreachableError } from './host-operator.ts'
import type { Operator } from './operator.ts'

/**
 * Finds the host that the settings name. If there is none, and no address was given, opens the journal itself: the database,
 * or the data folder, which no host uses then.
 */
export async function openOperator(values: ValuesOf<typeof operatorSettings>): Promise<Operator> {
  const { url, port = 4_600, secret, databaseUrl, data = './endwell-data' } = values
  const host = new HostOperator(url ?? `http://127.0.0.1:${port}`, secret)
  const place = databaseUrl ?? (existsSync(join(data, 'endwell.db')) ? data : undefined)
  if (url !== undefined || place === undefined) return host
  try {
    await host.sessions({ limit: 1 })
    return host
  } catch (error) {
    if (!(error instanceof HostUnreachableError)) throw error
    const { openJournal } = await import('../../host/journal/index.ts')
    const { JournalOperator } = await import('./journal-operator.ts')
    return new JournalOperator(await openJournal(place))
  }
}
