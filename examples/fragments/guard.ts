// Short examples of docs/guard.md. They are compiled, and not run.
// #region guard
import 'endwell/guard/install' // once, before the framework
import { guard } from 'endwell/guard'

const call = guard({ name: 'call 42', closeTimeout: 3_000, close: () => session.close() })
const session = call.wrap(await call.run(startSession))
const report = await call.close() // never rejects, never hangs
// #endregion

// #region outside
import { outside } from 'endwell/guard'
import { Pool } from 'pg'

const database = outside(() => new Pool({ connectionString }))
// #endregion

declare const connectionString: string
declare function startSession(): Promise<{ close(): Promise<void> }>
console.log(report, database)
