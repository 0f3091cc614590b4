import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { conformance, onFastStage, ttsConformance } from '../../../src/testing/index.ts'
import { LoopbackServer } from '../../../src/testing/servers/index.ts'
import { voiceSubjects } from './subjects.ts'

let server: LoopbackServer

beforeAll(async () => {
  server = await LoopbackServer.listen()
})

afterAll(() => server.close())

for (const subject of voiceSubjects)
  conformance(
    { describe, it },
    `${subject.name} on real sockets`,
    ttsConformance,
    () => {
      const vendor = subject.server({ every: 1 })
      server.serve = vendor.serve
      return {
        tts: subject.tts({ url: server.url }),
        refuses: () => {
          vendor.manners.refuse = 401
        },
        breaks: () => {
          vendor.rude.add('fails')
        },
      }
    },
    onFastStage(4),
  )

describe('voices with contexts', () => {
  it('leave no socket open', async () => {
    await server.whenIdle()
    expect(server.open).toBe(0)
  })
})
