import type { Bench } from './bench.ts'
import { calls } from './calls/index.ts'
import { ears } from './ears/index.ts'
import { guard } from './guard/index.ts'
import { host } from './host/index.ts'
import { importing } from './import/index.ts'
import { link } from './link/index.ts'
import { local } from './local/index.ts'
import { peers } from './peers/cost/index.ts'
import { phone } from './phone/index.ts'
import { room } from './room/index.ts'
import { scope } from './scope/index.ts'
import { session } from './session/index.ts'
import { voices } from './voices/index.ts'
import { webrtc } from './webrtc/index.ts'

/** All benchmarks, by their name on the command line. */
export const benches: Readonly<Record<string, Bench>> = {
  calls,
  ears,
  guard,
  host,
  import: importing,
  link,
  local,
  peers,
  phone,
  room,
  scope,
  session,
  voices,
  webrtc,
}
