import { describe, expect, expectTypeOf, it } from 'vitest'

import type { AudioFrame } from '../../src/audio/index.ts'
import {
  CartesiaInkServer,
  CartesiaServer,
  ChatServer,
  DeepgramServer,
  ElevenLabsServer,
  GeminiLiveServer,
  LoopbackServer,
  OpenAIRealtimeServer,
  OpenAISpeechServer,
  TwilioCarrier,
  twilioSignature,
  type CallState,
  type ChatRequest,
  type ChatStep,
  type SpeechManners,
  type SpeechRequest,
  type TwilioCall,
  type TwilioCallOptions,
  type TwilioCarrierOptions,
} from '../../src/testing/servers/index.ts'
import type { Manners, SimNetwork } from '../../src/testing/index.ts'
import type { DialRequest } from '../../src/scope/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')

describe('the server of a vendor', () => {
  it('serves a simulated network and real sockets alike', () =>
    types(async (network = {} as SimNetwork) => {
      const server = new DeepgramServer({ key: 'key' })
      expectTypeOf(server.serve).toEqualTypeOf<(request: DialRequest) => Manners>()
      network.serve = server.serve
      const loopback = await LoopbackServer.listen({ serve: server.serve })
      expectTypeOf(loopback).toEqualTypeOf<LoopbackServer>()
      expectTypeOf(loopback.url).toEqualTypeOf<string>()
      // @ts-expect-error `LoopbackServer.listen` waits until it listens
      return new LoopbackServer({})
    }))

  it('is rude in its own ways only', () =>
    types(() => {
      new DeepgramServer({ rude: ['deaf'] }).rude.add('talks on')
      // @ts-expect-error rudeness of another vendor
      const deepgram = new DeepgramServer({ rude: ['never done'] })
      // @ts-expect-error rudeness of another vendor
      const elevenLabs = new ElevenLabsServer({ rude: ['never done', 'repeats itself'] })
      // @ts-expect-error rudeness of another vendor
      const ink = new CartesiaInkServer({ rude: ['repeats itself', 'never done'] })
      const cartesia = new CartesiaServer({ rude: ['never done'] })
      // @ts-expect-error misspelt
      cartesia.rude.add('mutes')
      // @ts-expect-error a server has no such manners
      const manners = new CartesiaServer({ manners: { hangs: true } })
      return [deepgram, elevenLabs, ink, manners]
    }))

  it('answers by what the client said in this turn', () =>
    types(() => {
      const openai = new OpenAIRealtimeServer({ answers: ({ user, instructions }) => instructions ?? user })
      const gemini = new GeminiLiveServer({ answers: ({ user, contents }) => `${user} ${contents.length}` })
      expectTypeOf(openai.answers('Hello.')).toEqualTypeOf<OpenAIRealtimeServer>()
      expectTypeOf(gemini.transcript).toEqualTypeOf<string[]>()
      // @ts-expect-error the content of Gemini is not that of OpenAI
      const mixed = new OpenAIRealtimeServer({ answers: ({ contents }) => String(contents) })
      // @ts-expect-error an answer is text or steps
      gemini.answers({ text: 'Hello.' })
      return mixed
    }))

  it('takes no option that is undefined', () =>
    types(() => {
      // @ts-expect-error a key that is not set would let every client in
      const server = new OpenAIRealtimeServer({ apiKey: process.env['OPENAI_API_KEY'] })
      return server
    }))
})

describe('servers over HTTP', () => {
  it('answer chats in steps', () =>
    types((server = new ChatServer()) => {
      server.answers(
        ['Hello.', { call: 'book', input: '{}', id: 'c1' }, { wait: 100 }],
        { refuse: 429 },
        { hangs: true },
      )
      // @ts-expect-error no such way to misbehave
      const step: ChatStep = { rude: 'sulks' }
      // @ts-expect-error a call has an id
      const call: ChatStep = { call: 'book', input: '{}' }
      // @ts-expect-error an answer is a list of steps
      server.answers('Hello.')
      expectTypeOf<ChatRequest['how']>().toEqualTypeOf<
        'running' | 'answered' | 'refused' | 'dropped' | 'left'
      >()
      return [step, call]
    }))

  it('show what a client sent, as it was', () =>
    types((chat = {} as ChatRequest, speech = {} as SpeechRequest) => {
      expectTypeOf(chat.body.model).toEqualTypeOf<string | undefined>()
      expectTypeOf(chat.body['stream']).toEqualTypeOf<unknown>()
      expectTypeOf(speech.body['voice']).toEqualTypeOf<unknown>()
      // @ts-expect-error read-only
      speech.input = ''
    }))

  it('treat speech in known ways', () =>
    types(() => {
      new OpenAISpeechServer().treats('well', 'hangs', { stallsAfter: 100 })
      // @ts-expect-error no such way
      const manners: SpeechManners = 'badly'
      return manners
    }))
})

describe('a carrier', () => {
  it('calls a webhook, and shows what becomes of the call', () =>
    types(async () => {
      const carrier = await TwilioCarrier.listen({ authToken: 'token' })
      const call = carrier.call('http://127.0.0.1/phone', { from: '+491234', signsStream: 'never' })
      expectTypeOf(call).toEqualTypeOf<TwilioCall>()
      expectTypeOf(call.state).toEqualTypeOf<CallState>()
      expectTypeOf(call.heard).toEqualTypeOf<AudioFrame>()
      call.press('5')
      // @ts-expect-error keys are text
      call.press(5)
      // @ts-expect-error no such way to hang up
      call.hangUp('soon')
      // @ts-expect-error a call has no other states
      return call.state === 'asleep'
    }))

  it('takes known options only', () =>
    types(() => {
      // @ts-expect-error no such way to sign
      const signs: TwilioCallOptions = { signsStream: 'sometimes' }
      // @ts-expect-error no such carrier
      const dialect: TwilioCarrierOptions = { dialect: 'vonage' }
      return [signs, dialect]
    }))

  it('has events with a time, which are told apart by their type', () =>
    types((call = {} as TwilioCall) => {
      for (const event of call.events) {
        expectTypeOf(event.at).toEqualTypeOf<number>()
        if (event.type === 'quiet') expectTypeOf(event.heard).toEqualTypeOf<number>()
        // @ts-expect-error data of another event
        if (event.type === 'mark') expectTypeOf(event.digit)
      }
      expectTypeOf(
        twilioSignature('token', 'https://example.com', { CallSid: 'CA1' }),
      ).toEqualTypeOf<string>()
      // @ts-expect-error form fields are text
      twilioSignature('token', 'https://example.com', { Digits: 5 })
    }))
})
