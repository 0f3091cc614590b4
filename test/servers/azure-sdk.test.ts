import { connect } from 'node:net'
import OpenAI, { AzureOpenAI } from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime'
import { describe, expect, it } from 'vitest'
import { LoopbackServer, OpenAIRealtimeServer } from '../../src/testing/servers/index.ts'

/** The SDK always uses TLS, which the loopback server does not have. */
const plainSocket = (loopback: LoopbackServer) => ({
  createConnection: (() => connect(Number(new URL(loopback.url).port), '127.0.0.1')) as never,
})

const newServer = () =>
  new OpenAIRealtimeServer({ answers: ['It is sunny.'], speed: 100, ignoresClose: false })

/** Resolves with the first event of this type. */
const next = (rt: OpenAIRealtimeWS, type: RealtimeServerEvent['type']): Promise<RealtimeServerEvent> =>
  new Promise((resolve) => {
    rt.on('event', (event) => {
      if (event.type === type) resolve(event)
    })
  })

const update = { type: 'session.update', session: { type: 'realtime', instructions: 'Be kind.' } } as const

describe("OpenAI's SDK for Azure and our server", () => {
  it('have a conversation on the v1 API, with a new token of Entra ID for each connection', async () => {
    const server = newServer()
    await using loopback = await LoopbackServer.listen({ serve: server.serve })
    let tokens = 0
    const client = new OpenAI({
      baseURL: `http://${new URL(loopback.url).host}/openai/v1/`,
      apiKey: async () => `token-${++tokens}`,
    })
    for (const answer of ['It is sunny.', 'It rains.']) {
      server.answers(answer)
      const rt = await OpenAIRealtimeWS.create(client, { model: 'voice', options: plainSocket(loopback) })
      await next(rt, 'session.created')
      rt.send(update)
      await next(rt, 'session.updated')
      rt.send({ type: 'response.create' })
      expect(await next(rt, 'response.done')).toMatchObject({ response: { status: 'completed' } })
      rt.close()
      await loopback.whenIdle()
    }
    expect(server.dials.map(({ url, headers }) => [new URL(url).search, headers?.['authorization']])).toEqual(
      [
        ['?model=voice', 'Bearer token-1'],
        ['?model=voice', 'Bearer token-2'],
      ],
    )
  })

  it('dial the v1 API, or with an older SDK the preview, which opens and cannot be set up', async () => {
    const server = newServer()
    await using loopback = await LoopbackServer.listen({ serve: server.serve })
    const client = new AzureOpenAI({
      baseURL: `http://${new URL(loopback.url).host}/openai`,
      apiVersion: '2025-04-01-preview',
      deployment: 'voice',
      azureADTokenProvider: async () => 'token-1',
    })
    const rt = await OpenAIRealtimeWS.azure(client, { options: plainSocket(loopback) })
    rt.on('error', () => {})
    const answer = new Promise<RealtimeServerEvent>((resolve) => {
      rt.on('event', (event) => {
        if (event.type !== 'session.created') resolve(event)
      })
    })
    await next(rt, 'session.created')
    rt.send(update)
    const [dial] = server.dials
    const preview = `${loopback.url}/openai/realtime?api-version=2025-04-01-preview&deployment=voice`
    const isPreview = dial?.url === preview
    if (!isPreview) expect(dial?.url).toBe(`${loopback.url}/openai/v1/realtime?model=voice`)
    expect((await answer).type).toBe(isPreview ? 'error' : 'session.updated')
    expect(dial?.headers).toMatchObject({ authorization: 'Bearer token-1' })
    rt.close()
    await loopback.whenIdle()
  })
})
