import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OpenAILive } from '../../../src/providers/openai/index.ts'
import { conformance, onFastStage, realtimeConformance, type LlmStep } from '../../../src/testing/index.ts'
import { LoopbackServer, OpenAILiveServer } from '../../../src/testing/servers/index.ts'
import { toolResults } from './tool-results.ts'
import { KEY } from './fixture.ts'

let server: LoopbackServer

beforeAll(async () => {
  server = await LoopbackServer.listen()
})

afterAll(() => server.close())

conformance(
  { describe, it },
  'OpenAI Live on real sockets',
  realtimeConformance,
  () => {
    const live = new OpenAILiveServer({ apiKey: KEY, speed: 10, firstAfter: 10 })
    server.serve = live.serve
    return {
      realtime: new OpenAILive({ apiKey: KEY, url: `${server.url}/v1` }),
      hear: (text) => live.hear(text),
      answers: (chunks, hangs = false) => {
        const stall: LlmStep[] = hangs ? [{ stall: true }] : []
        live.answers([...chunks, ...stall])
      },
      results: () => toolResults(live),
      refuses: () => {
        live.manners.refuse = 401
      },
    }
  },
  onFastStage(4),
)

describe('OpenAI Live', () => {
  it('leaves no socket open', async () => {
    await server.whenIdle()
    expect(server.open).toBe(0)
  })
})
