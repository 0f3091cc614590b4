import { describe, it } from 'vitest'
import { conformance, realtimeConformance, type LlmStep } from '../../../testing/index.ts'
import { OpenAILiveServer } from '../../../testing/servers/index.ts'
import { OpenAILive } from './openai-live.ts'

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
        results: () => server.sessions.flatMap(({ results }) => results),
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
