import type { Journal } from '../journal.ts'
import { callMethods } from './call-methods.ts'
import type { Database } from './database.ts'
import { dialMethods } from './dial-methods.ts'
import { hostMethods } from './host-methods.ts'
import { recordingMethods } from './recording-methods.ts'
import { upkeepMethods } from './upkeep-methods.ts'
import { workMethods } from './work-methods.ts'

/** The journal in a SQL database whose tables exist. */
export const sqlJournal = (db: Database): Journal => ({
  ...hostMethods(db),
  ...callMethods(db),
  ...workMethods(db),
  ...dialMethods(db),
  ...recordingMethods(db),
  ...upkeepMethods(db),
  onWake: (listener) => db.onWake(listener),
  close: () => db.close(),
})
