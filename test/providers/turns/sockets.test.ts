import type { Cartesia } from '@cartesia/cartesia-js'
import type { Deepgram } from '@deepgram/sdk'
import type { TurnEvent } from 'assemblyai'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import type { Control, Failure, Turn } from '../../../src/providers/assemblyai/assemblyai-messages.ts'
import type { InkClose, InkError, InkMessage, InkTurn } from '../../../src/providers/cartesia/ink-messages.ts'
import type { FluxControl, FluxError, FluxTurnInfo } from '../../../src/providers/deepgram/flux-messages.ts'
import { conformance, onFastStage, sttConformance } from '../../../src/testing/index.ts'
import { LoopbackServer } from '../../../src/testing/servers/index.ts'
import { turnSubjects } from './subjects.ts'

let server: LoopbackServer

beforeAll(async () => {
  server = await LoopbackServer.listen()
})

afterAll(() => server.close())

for (const subject of turnSubjects)
  conformance(
    { describe, it },
    `${subject.name} on real sockets`,
    sttConformance,
    () => {
      const vendor = subject.server()
      server.serve = vendor.serve
      return {
        stt: subject.stt({ url: server.url }),
        hear: (text) => vendor.hear(text),
        refuses: () => {
          vendor.manners.refuse = 401
        },
        breaks: () => {
          vendor.manners.refuse = 401
          vendor.drop()
        },
      }
    },
    onFastStage(4),
  )

describe('STTs that detect turns', () => {
  it('leave no socket open', async () => {
    await server.whenIdle()
    expect(server.open).toBe(0)
  })

  it('send and read messages that match the types of the SDKs', () => {
    type Listen = typeof Deepgram.listen
    expectTypeOf<Listen>().not.toBeAny()
    expectTypeOf<Deepgram.listen.ListenV2TurnInfo>().toExtend<FluxTurnInfo>()
    expectTypeOf<Deepgram.listen.ListenV2FatalError>().toExtend<FluxError>()
    expectTypeOf<FluxControl & { type: 'Configure' }>().toExtend<Deepgram.listen.ListenV2Configure>()
    expectTypeOf<FluxControl & { type: 'ForceEndTurn' }>().toExtend<Deepgram.listen.ListenV2ForceEndTurn>()
    expectTypeOf<FluxControl & { type: 'CloseStream' }>().toExtend<Deepgram.listen.ListenV2CloseStream>()

    expectTypeOf<TurnEvent>().toExtend<Turn>()
    expectTypeOf<import('assemblyai').StreamingUpdateConfiguration['type']>().toExtend<Control['type']>()
    expectTypeOf<Control & { type: 'UpdateConfiguration' }>().toExtend<
      import('assemblyai').StreamingUpdateConfiguration
    >()
    expectTypeOf<import('assemblyai').ErrorEvent>().toExtend<Failure>()

    type Ink = Cartesia.STT.STTAutoFinalizeWebsocketResponse
    expectTypeOf<Extract<Ink, { type: InkTurn['type'] }>>().toExtend<InkTurn>()
    expectTypeOf<Extract<Ink, { type: 'error' }>>().toExtend<InkError>()
    expectTypeOf<InkMessage['type']>().toExtend<Ink['type']>()
    expectTypeOf<InkClose>().toExtend<Cartesia.STT.STTAutoFinalizeWebsocketRequest>()
  })
})
