import { createOpenAI } from '@ai-sdk/openai'
import { describe, expect, it } from 'vitest'
import { Agent, Session, type SessionReport } from '../../src/index.ts'
import { AiSdkLlm } from '../../src/providers/ai-sdk/index.ts'
import { CartesiaTts } from '../../src/providers/cartesia/index.ts'
import { DeepgramStt } from '../../src/providers/deepgram/index.ts'
import { ScriptedVad, TestLine } from '../../src/testing/index.ts'
import {
  CartesiaServer,
  ChatServer,
  DeepgramServer,
  LoopbackServer,
  type CartesiaServerOptions,
  type ChatAnswer,
  type DeepgramServerOptions,
} from '../../src/testing/servers/index.ts'

const KEY = 'secret'

interface Manners {
  readonly deepgram?: DeepgramServerOptions
  readonly cartesia?: CartesiaServerOptions
  readonly answer: ChatAnswer
}

/** A session on three vendors, all served by one loopback server. */
async function call({ deepgram, cartesia, answer }: Manners) {
  const stt = new DeepgramServer({ key: KEY, ...deepgram })
  const tts = new CartesiaServer({ key: KEY, ...cartesia })
  const chat = new ChatServer({ key: KEY }).answers(answer)
  const server = await LoopbackServer.listen({
    http: chat.http,
    serve: (request) => (request.url.includes('/v1/listen') ? stt : tts).serve(request),
  })
  const line = new TestLine()
  const session = new Session({
    agent: new Agent({ name: 'desk', instructions: 'You answer the phone.' }),
    models: {
      stt: new DeepgramStt({ apiKey: KEY, url: server.url }),
      vad: new ScriptedVad(),
      llm: new AiSdkLlm(createOpenAI({ apiKey: KEY, baseURL: chat.urlAt(server) }).chat('any')),
      tts: new CartesiaTts({ apiKey: KEY, url: server.url, voice: 'any', sampleRate: 16_000 }),
    },
    line,
  })
  await session.start()
  return { chat, server, line, session }
}

const ends = ({ connections }: SessionReport): string[] =>
  connections.map(({ name, how }) => `${name} ${how}`).toSorted()

describe('a session on Deepgram, the AI SDK and Cartesia', () => {
  it('answers the caller and leaves no connection open', async () => {
    const { chat, server, line, session } = await call({ answer: ['Good ', 'day.'] })
    await line.caller.says('Hi. ')
    await line.caller.pauses(800)
    await line.caller.hears('Good day.')
    line.caller.hangsUp()
    const report = await session.close()
    await chat.until(() => chat.open === 0)
    await server.whenIdle()
    expect(report.transcript).toMatchObject([
      { role: 'user', text: 'Hi.' },
      { role: 'agent', text: 'Good day.' },
    ])
    expect(ends(report)).toEqual(['cartesia closed', 'deepgram acknowledged', 'line closed'])
    expect(report.reason).toBe('caller-hung-up')
    expect(report.clean).toBe(true)
    await server.close()
  })

  it('closes on time although no vendor cooperates, and opens no connection later', async () => {
    const { chat, server, line, session } = await call({
      answer: ['Good ', { rude: 'stalls' }],
      deepgram: { ignoresClose: true, rude: ['ignores CloseStream'] },
      cartesia: { ignoresClose: true, rude: ['never done', 'talks on'] },
    })
    await line.caller.says('Hi. ')
    await line.caller.pauses(800)
    await chat.until(() => chat.open === 1)
    const { total } = server
    const report = await session.close()
    await chat.until(() => chat.open === 0)
    await server.whenIdle()
    expect(report.took).toBeLessThan(5_000)
    expect(ends(report)).toEqual(['cartesia aborted', 'deepgram aborted', 'line closed'])
    expect(chat.requests.map(({ how }) => how)).toEqual(['left'])
    expect(server.total).toBe(total)
    await server.close()
  })
})
