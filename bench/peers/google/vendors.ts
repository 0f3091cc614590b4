import { callTool, type Manners } from '../../../src/testing/index.ts'
import { GeminiLiveServer, type GeminiLiveServerOptions } from '../../../src/testing/servers/index.ts'
import type { Vendor, Vendors } from '../vendor.ts'

const LONG = 'This is a long answer, so that there is time enough to end the call in the middle of it. '

/** The time left that a goAway message announces. */
const TIME_LEFT = 30_000

interface Habits {
  /** Whether the model calls a tool. */
  readonly calls?: boolean
  /** Whether setups are never confirmed. */
  readonly ignoresSetup?: boolean
}

/** Gemini's live API, and the app's own backend over HTTP, which never answers. */
function gemini(
  options: GeminiLiveServerOptions = {},
  { calls = false, ignoresSetup = false }: Habits = {},
): Vendor {
  const server = new GeminiLiveServer({
    answers: ({ results }) => (calls && results.length === 0 ? [callTool('lookup', {})] : LONG.repeat(5)),
    speed: 1,
    ...options,
  })
  server.ignoresSetup = ignoresSetup
  let storm = false
  let onClose: () => void = () => {}
  const serve: Vendor['serve'] = (request) => {
    const theirs: Manners = server.serve(request)
    return {
      ...theirs,
      message: (peer, data) => {
        theirs.message?.(peer, data)
        if (storm) server.goAway(TIME_LEFT)
      },
      closed: () => onClose(),
    }
  }
  return {
    serve,
    http: () => {},
    orders: {
      'break the connection': () => server.drop(),
      'offer a handle': () => server.offerHandle(),
      'go away': () => server.goAway(TIME_LEFT),
      'send goAway before answering the next close frame, and ignore setups from then on': () => {
        onClose = () => {
          server.ignoresSetup = true
          server.goAway(TIME_LEFT)
        }
      },
      'go away again and again': () => {
        storm = true
        server.goAway(TIME_LEFT)
      },
    },
  }
}

export const vendors: Vendors = {
  gemini: () => gemini(),
  'gemini, ignores close frames': () => gemini({ ignoresClose: true }),
  'gemini, answers close frames late': () => gemini({ manners: { closeReply: 500 } }),
  'gemini, is slow to connect': () => gemini({ manners: { connect: 400, closeReply: 50 } }),
  'gemini, silent': () => gemini({ manners: { connect: 'never' } }),
  'gemini, refuses': () => gemini({ manners: { refuse: 503 } }),
  'gemini, wants another key': () => gemini({ apiKey: 'another' }),
  'gemini, never sets up': () => gemini({}, { ignoresSetup: true }),
  'gemini, goes dead': () => gemini({ manners: { halfOpenAfter: 700 } }),
  'gemini, calls a tool': () => gemini({}, { calls: true }),
}
