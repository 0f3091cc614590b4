import { GeminiLiveServer, LoopbackServer, OpenAIRealtimeServer } from '../../../src/testing/servers/index.ts'
import { ANSWER, type VendorName } from './cost-subject.ts'

// The server of a vendor in a process of its own. It answers at once, speaks in real time, and answers close frames.
const options = { answers: () => ANSWER, speed: 1, ignoresClose: false }
const servers = {
  openai: () => new OpenAIRealtimeServer(options),
  gemini: () => new GeminiLiveServer(options),
}

const loopback = await LoopbackServer.listen({})
loopback.serve = servers[process.argv[2] as VendorName]().serve
process.send!(loopback.url)
process.once('disconnect', () => process.exit())
