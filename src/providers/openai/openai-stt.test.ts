import { describe, it } from 'vitest'
import { conformance, sttConformance } from '../../testing/index.ts'
import { OpenAIRealtimeServer } from '../../testing/servers/index.ts'
import { OpenAIStt } from './index.ts'

const KEY = 'sk-secret-0123456789'

conformance(
  { describe, it },
  'OpenAI transcription on a simulated network',
  sttConformance,
  ({ clock, network }) => {
    let said = ''
    const server = new OpenAIRealtimeServer({ clock, apiKey: KEY, understands: () => said })
    network!.serve = server.serve
    return {
      stt: new OpenAIStt({ apiKey: KEY }),
      hear: (text) => {
        said = text
      },
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
