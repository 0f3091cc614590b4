import { callTool, type Manners } from '../../../src/testing/index.ts'
import { GeminiLiveServer, type GeminiLiveServerOptions } from '../../../src/testing/servers/index.ts'
import type { Vendor, Vendors } from '../vendor.ts'

const LONG = 'This is a long answer, so that there is time enough to end the call in the middle of it. '

/** How long a connection is told that it has left. */
const TIME_LEFT = 30_000

interface Habits {
  /** The model calls a tool. */
  readonly calls?: boolean
  /** Nobody is set up. */
  readonly ignoresSetup?: boolean
}

/** Gemini's live API, and the app's own backend by plain HTTP: it never answers. */
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
  let atTheEnd: () => void = () => {}
  const serve: Vendor['serve'] = (request) => {
    const theirs: Manners = server.serve(request)
    return {
      ...theirs,
      message: (peer, data) => {
        theirs.message?.(peer, data)
        if (storm) server.goAway(TIME_LEFT)
      },
      closed: () => atTheEnd(),
    }
  }
  return {
    serve,
    http: () => {},
    orders: {
      'break the connection': () => server.drop(),
      'offer a handle': () => server.offerHandle(),
      'go away': () => server.goAway(TIME_LEFT),
      'go away before the next close frame is answered, and set up nobody any more': () => {
        atTheEnd = () => {
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
