import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { XaiRealtime } from '../../../src/providers/xai/index.ts'
import { conformance, onFastStage, realtimeConformance, type LlmStep } from '../../../src/testing/index.ts'
import { LoopbackServer, XaiRealtimeServer } from '../../../src/testing/servers/index.ts'
import { KEY } from './fixture.ts'

let server: LoopbackServer

beforeAll(async () => {
  server = await LoopbackServer.listen()
})

afterAll(() => server.close())

conformance(
  { describe, it },
  'xAI Realtime on real sockets',
  realtimeConformance,
  () => {
    const xai = new XaiRealtimeServer({ apiKey: KEY, speed: 100, transcriptionAfter: 5, firstAfter: 10 })
    server.serve = xai.serve
    return {
      realtime: new XaiRealtime({ apiKey: KEY, url: `${server.url}/v1` }),
      hear: (text) => xai.hear(text),
      answers: (chunks, hangs = false) => {
        const stall: LlmStep[] = hangs ? [{ stall: true }] : []
        xai.answers([...chunks, ...stall])
      },
      results: () =>
        xai.conversation.flatMap((item) => (item.type === 'function_call_output' ? [item.output] : [])),
      refuses: () => {
        xai.manners.refuse = 401
      },
    }
  },
  onFastStage(4),
)

describe('xAI Realtime', () => {
  it('leaves no socket open', async () => {
    await server.whenIdle()
    expect(server.open).toBe(0)
  })
})
