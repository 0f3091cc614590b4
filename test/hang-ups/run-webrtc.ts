import { threadCases } from './run-case.ts'
import { runLine } from './run-all.ts'
import { webRtcOnSockets } from './webrtc.ts'

// Ends calls over WebRTC, and prints the outcomes. Whoever started this process ends it: the clients at the far end keep timers for
// half a minute.
const [filter = ''] = process.argv.slice(2)
const outcomes = await runLine(
  { name: 'rtvi over webrtc', openStage: webRtcOnSockets, concurrency: 4, cases: threadCases },
  filter,
)
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
