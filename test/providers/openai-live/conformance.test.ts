import { describe, it } from 'vitest'
import { conformance, realtimeConformance, type LlmStep } from '../../../src/testing/index.ts'
import { OpenAILiveServer } from '../../../src/testing/servers/index.ts'
import { toolResults } from './tool-results.ts'
import { OpenAILive } from '../../../src/providers/openai/index.ts'

const KEY = 'sk-secret-0123456789'

for (const sendsSilence of [false, true])
  conformance(
    { describe, it },
    `OpenAI Live on a simulated network, ${sendsSilence ? 'with silence between' : 'without sound between'} answers`,
    realtimeConformance,
    ({ clock, network }) => {
      const server = new OpenAILiveServer({ clock, apiKey: KEY, sendsSilence })
      network!.serve = server.serve
      return {
        realtime: new OpenAILive({ apiKey: KEY }),
        hear: (text) => server.hear(text),
        answers: (chunks, hangs = false) => {
          const stall: LlmStep[] = hangs ? [{ stall: true }] : []
          server.answers([...chunks, ...stall])
        },
        results: () => toolResults(server),
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
