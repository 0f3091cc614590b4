import { describe, expect, it } from 'vitest'
import { LinkError } from '../../src/link/index.ts'
import { AssemblyAIStt } from '../../src/providers/assemblyai/index.ts'
import { CartesiaStt, CartesiaTts } from '../../src/providers/cartesia/index.ts'
import { DeepgramFluxStt, DeepgramStt, DeepgramTts } from '../../src/providers/deepgram/index.ts'
import { ElevenLabsStt, ElevenLabsTts } from '../../src/providers/elevenlabs/index.ts'
import { InworldTts } from '../../src/providers/inworld/index.ts'
import { RimeTts } from '../../src/providers/rime/index.ts'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import {
  OpenAIHttpTts,
  OpenAILive,
  OpenAIRealtime,
  OpenAIStt,
  OpenAITts,
} from '../../src/providers/openai/index.ts'
import { XaiRealtime } from '../../src/providers/xai/index.ts'
import type { DialRequest } from '../../src/scope/index.ts'
import { rejection, withLink } from './fixture.ts'

const addresses = [
  'not a url',
  '',
  'vendor.example',
  'ws://host:99999',
  'wss://',
  'ws://ho st',
  'ftp://host',
  'file:///etc/passwd',
]

describe('a request that cannot succeed', () => {
  it.each<[string, Omit<DialRequest, 'name'>]>([
    ...addresses.map((url): [string, DialRequest] => [`the address '${url}'`, { name: '', url }]),
    ['an address with a fragment', { url: 'ws://host/#secret' }],
    ['an invalid header name', { url: 'ws://host', headers: { 'bad header': 'secret' } }],
    ['an invalid header value', { url: 'ws://host', headers: { authorization: 'secret\n' } }],
    ['an invalid subprotocol', { url: 'ws://host', protocols: ['se cret'] }],
  ])('[LK13] fails the link at once, without a retry: %s', (_, request) =>
    withLink(async ({ world, open, context }) => {
      const error = await rejection(open({ request: () => request }))
      expect(error).toBeInstanceOf(LinkError)
      expect(error).toMatchObject({ code: 'LINK_INVALID' })
      expect((error as LinkError).message).not.toContain('secret')
      expect([world.clock.now(), world.network.dials]).toEqual([0, 0])
      expect(context.connections).toMatchObject([{ retries: 0 }])
    }),
  )

  it('[LK13] fails the link when it turns invalid later, too', () =>
    withLink(async ({ world, open, errors, peers }) => {
      let url = 'wss://vendor.example'
      await open({ request: () => ({ url }) })
      url = 'ws://host:99999'
      peers[0]?.drop()
      await world.clock.elapse(1_000)
      expect(errors).toMatchObject([{ code: 'LINK_INVALID' }])
    }))
})

describe('the url option of a provider', () => {
  const apiKey = 'key'
  it.each<[string, (url: string) => unknown]>([
    ['DeepgramStt', (url) => new DeepgramStt({ apiKey, url })],
    ['DeepgramFluxStt', (url) => new DeepgramFluxStt({ apiKey, url })],
    ['AssemblyAIStt', (url) => new AssemblyAIStt({ apiKey, url })],
    ['CartesiaStt', (url) => new CartesiaStt({ apiKey, url })],
    ['CartesiaTts', (url) => new CartesiaTts({ apiKey, url, voice: 'voice' })],
    ['DeepgramTts', (url) => new DeepgramTts({ apiKey, url })],
    ['ElevenLabsStt', (url) => new ElevenLabsStt({ apiKey, url })],
    ['ElevenLabsTts', (url) => new ElevenLabsTts({ apiKey, url, voice: 'voice' })],
    ['RimeTts', (url) => new RimeTts({ apiKey, url, voice: 'voice' })],
    ['InworldTts', (url) => new InworldTts({ apiKey, url, voice: 'voice' })],
    ['GeminiLive', (url) => new GeminiLive({ apiKey, url })],
    ['XaiRealtime', (url) => new XaiRealtime({ apiKey, url })],
    ['OpenAILive', (url) => new OpenAILive({ apiKey, url })],
    ['OpenAIRealtime', (url) => new OpenAIRealtime({ apiKey, url })],
    ['OpenAIStt', (url) => new OpenAIStt({ apiKey, url })],
    ['OpenAITts', (url) => new OpenAITts({ apiKey, url })],
    ['OpenAIHttpTts', (url) => new OpenAIHttpTts({ apiKey, url, model: 'any' })],
  ])('[LK13] is checked by the constructor: %s', (_, make) => {
    for (const url of addresses)
      expect(() => make(url), url).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }))
    for (const url of ['wss://host', 'ws://127.0.0.1:80/path', 'https://host:65535/v1/'])
      expect(() => make(url), url).not.toThrow()
  })
})
