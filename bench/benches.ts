import type { Bench } from './bench.ts'
import { guard } from './guard/index.ts'
import { link } from './link/index.ts'
import { local } from './local/index.ts'
import { scope } from './scope/index.ts'
import { session } from './session/index.ts'

/** Every bench by the name it is called with. */
export const benches: Readonly<Record<string, Bench>> = { guard, link, local, scope, session }
