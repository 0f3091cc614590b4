import type { Deepgram } from '@deepgram/sdk'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { DeepgramStt } from '../../src/providers/deepgram/index.ts'
import type { DeepgramMessage, Results } from '../../src/providers/deepgram/deepgram-messages.ts'
import { conformance, onFastStage, sttConformance } from '../../src/testing/index.ts'
import { DeepgramServer, LoopbackServer } from '../../src/testing/servers/index.ts'

const KEY = 'secret'

let server: LoopbackServer

beforeAll(async () => {
  server = await LoopbackServer.listen()
})

afterAll(() => server.close())

conformance(
  { describe, it },
  'Deepgram on real sockets',
  sttConformance,
  () => {
    const deepgram = new DeepgramServer({ key: KEY })
    server.serve = deepgram.serve
    return {
      stt: new DeepgramStt({ apiKey: KEY, url: server.url }),
      hear: (text) => deepgram.hear(text),
      refuses: () => {
        deepgram.manners.refuse = 401
      },
    }
  },
  onFastStage(4),
)

describe('the Deepgram provider', () => {
  it('leaves no socket open', async () => {
    await server.whenIdle()
    expect(server.open).toBe(0)
  })

  it('reads messages that match the types of the SDK', () => {
    expectTypeOf<Deepgram.listen.ListenV1Results>().toExtend<Results>()
    expectTypeOf<DeepgramMessage['type']>().toExtend<
      | Deepgram.listen.ListenV1Results['type']
      | Deepgram.listen.ListenV1SpeechStarted['type']
      | Deepgram.listen.ListenV1UtteranceEnd['type']
      | Deepgram.listen.ListenV1Metadata['type']
    >()
  })
})
