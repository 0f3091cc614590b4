import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import { AudioOutputMulti } from '@elevenlabs/elevenlabs-js/serialization/types/AudioOutputMulti.js'
import { CloseContext } from '@elevenlabs/elevenlabs-js/serialization/types/CloseContext.js'
import { FinalOutputMulti } from '@elevenlabs/elevenlabs-js/serialization/types/FinalOutputMulti.js'
import { FlushContext } from '@elevenlabs/elevenlabs-js/serialization/types/FlushContext.js'
import { InitializeConnectionMulti } from '@elevenlabs/elevenlabs-js/serialization/types/InitializeConnectionMulti.js'
import { SendTextMulti } from '@elevenlabs/elevenlabs-js/serialization/types/SendTextMulti.js'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { ElevenLabsTts } from '../../../src/providers/elevenlabs/index.ts'
import type { Alignment, StartContext } from '../../../src/providers/elevenlabs/tts/elevenlabs-messages.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { ElevenLabsServer } from '../../../src/testing/servers/index.ts'
import { openVoice } from '../speaking.ts'

const KEY = 'secret'

describe('the ElevenLabs provider', () => {
  // The SDK has no client for this address, but it has the schemas of every message.
  it('exchanges messages with our server that the schemas of the SDK accept', () =>
    inVirtualTime(async (world) => {
      const elevenLabs = new ElevenLabsServer({ clock: world.clock })
      const sent: unknown[] = []
      const serve: typeof elevenLabs.serve = (request) => {
        const { opened, ...manners } = elevenLabs.serve(request)
        return {
          ...manners,
          opened: (peer) =>
            opened?.({ ...peer, send: (data) => peer.send((sent.push(JSON.parse(String(data))), data)) }),
        }
      }
      const options = { speed: 1.1, stability: 0.5, dictionaries: [{ id: 'd', version: 'v' }] }
      const tts = new ElevenLabsTts({ apiKey: KEY, voice: 'any', ...options })
      const { speak, context } = await openVoice(world, { serve }, tts)
      await speak('Good morning.')
      await context.scope.close()

      const [start, text, flush, close] = elevenLabs.sessions[0]!.requests
      expect(InitializeConnectionMulti.parse(start)).toMatchObject({
        ok: true,
        value: { text: ' ', contextId: 'speech-1', voiceSettings: { speed: 1.1, stability: 0.5 } },
      })
      expect(SendTextMulti.parse(text)).toMatchObject({ ok: true, value: { contextId: 'speech-1' } })
      expect(FlushContext.parse(flush)).toMatchObject({ ok: true, value: { flush: true } })
      expect(CloseContext.parse(close)).toMatchObject({ ok: true, value: { closeContext: true } })
      expect(sent.length).toBeGreaterThan(2)
      for (const each of sent.slice(0, -1))
        expect(AudioOutputMulti.parse(each)).toMatchObject({
          ok: true,
          value: { contextId: 'speech-1', alignment: { chars: expect.any(Array) } },
        })
      expect(FinalOutputMulti.parse(sent.at(-1))).toMatchObject({ ok: true, value: { isFinal: true } })
    }))

  it('reads alignments that match the types of the SDK', () => {
    expectTypeOf<ElevenLabs.Alignment>().toExtend<Alignment>()
    expectTypeOf<ElevenLabs.NormalizedAlignment>().toExtend<Alignment>()
    expectTypeOf<StartContext['text']>().toEqualTypeOf<ElevenLabs.InitializeConnectionMulti['text']>()
  })
})
