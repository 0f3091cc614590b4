import { callTool, type Manners, type Peer } from '../../../src/testing/index.ts'
import { OpenAIRealtimeServer, type OpenAIRealtimeServerOptions } from '../../../src/testing/servers/index.ts'
import type { Vendor, Vendors } from '../vendor.ts'

const LONG = 'This is a long answer, so that there is time enough to end the call in the middle of it. '

/**
 * OpenAI's realtime API, a phone carrier at `/phone`, and the app's own backend over HTTP, which answers `/poll` at once and
 * no other request.
 */
function realtime(options: OpenAIRealtimeServerOptions = {}, calls = false): Vendor {
  const server = new OpenAIRealtimeServer({
    answers: ({ results }) => (calls && results.length === 0 ? [callTool('lookup', {})] : LONG.repeat(5)),
    speed: 1,
    ...options,
  })
  const phones = new Set<Peer>()
  const phone: Manners = {
    opened: (peer) => {
      phones.add(peer)
      for (const message of ring) peer.send(JSON.stringify(message))
    },
    ended: (peer) => phones.delete(peer),
  }
  return {
    serve: (request) => (new URL(request.url).pathname === '/phone' ? phone : server.serve(request)),
    http: ({ url }, response) => {
      if (url === '/poll') response.end()
    },
    orders: {
      'break the connection': () => server.drop(),
      'hang up the phone': () => {
        for (const peer of phones) peer.close(1000, '')
      },
    },
  }
}

/** The first messages of a phone call. */
const ring = [
  { event: 'connected', protocol: 'Call', version: '1.0.0' },
  {
    event: 'start',
    streamSid: 'MZ1',
    start: {
      streamSid: 'MZ1',
      callSid: 'CA1',
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
    },
  },
]

export const vendors: Vendors = {
  // The vendor's server is reported not to answer close frames.
  openai: () => realtime(),
  'openai, answers close frames': () => realtime({ ignoresClose: false }),
  'openai, calls a tool': () => realtime({}, true),
  'openai, calls a tool, answers close frames': () => realtime({ ignoresClose: false }, true),
  'openai, silent': () => realtime({ manners: { connect: 'never' } }),
  'openai, goes dead': () => realtime({ manners: { halfOpenAfter: 500 } }),
}
