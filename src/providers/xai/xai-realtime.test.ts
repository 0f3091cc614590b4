import { describe, it } from 'vitest'
import { conformance, realtimeConformance, type LlmStep } from '../../testing/index.ts'
import { XaiRealtimeServer } from '../../testing/servers/index.ts'
import { XaiRealtime } from './index.ts'

const KEY = 'xai-secret-0123456789'

conformance(
  { describe, it },
  'xAI Realtime on a simulated network',
  realtimeConformance,
  ({ clock, network }) => {
    const server = new XaiRealtimeServer({ clock, apiKey: KEY })
    network!.serve = server.serve
    return {
      realtime: new XaiRealtime({ apiKey: KEY }),
      hear: (text) => server.hear(text),
      answers: (chunks, hangs = false) => {
        const stall: LlmStep[] = hangs ? [{ stall: true }] : []
        server.answers([...chunks, ...stall])
      },
      results: () =>
        server.conversation.flatMap((item) => (item.type === 'function_call_output' ? [item.output] : [])),
      refuses: () => {
        server.manners.refuse = 401
      },
      breaks: () => {
        server.manners.refuse = 503
        server.drop()
      },
    }
  },
)
