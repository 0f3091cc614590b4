import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { ChatServer, LoopbackServer, type ChatAnswer } from '../../src/testing/servers/index.ts'

const KEY = 'secret'
const request = { model: 'any', messages: [{ role: 'user', content: 'Good morning.' }] } as const

async function serve(
  ...answers: ChatAnswer[]
): Promise<{ chat: ChatServer; server: LoopbackServer; client: OpenAI }> {
  const chat = new ChatServer({ key: KEY }).answers(...answers)
  const server = await LoopbackServer.listen({ http: chat.http })
  return { chat, server, client: new OpenAI({ apiKey: KEY, baseURL: chat.urlAt(server), maxRetries: 0 }) }
}

describe("OpenAI's SDK on the chat server", () => {
  it('streams text, tool calls and usage', async () => {
    const call = { call: 'find', input: '{"day":"Monday"}', id: 'a' } as const
    const { chat, server, client } = await serve(['Good ', 'morning.', call])
    await using _ = server
    const stream = await client.chat.completions.create({
      ...request,
      messages: [...request.messages],
      stream: true,
      stream_options: { include_usage: true },
    })
    let [text, input, name, reason, tokens] = ['', '', '', '', 0]
    for await (const { choices, usage } of stream) {
      const [choice] = choices
      text += choice?.delta.content ?? ''
      name += choice?.delta.tool_calls?.[0]?.function?.name ?? ''
      input += choice?.delta.tool_calls?.[0]?.function?.arguments ?? ''
      reason = choice?.finish_reason ?? reason
      tokens = usage?.total_tokens ?? tokens
    }
    expect({ text, name, input, reason, tokens }).toEqual({
      text: 'Good morning.',
      name: 'find',
      input: '{"day":"Monday"}',
      reason: 'tool_calls',
      tokens: 4,
    })
    expect(chat.requests).toMatchObject([{ path: '/v1/chat/completions', body: request, how: 'answered' }])
  })

  it('gets errors with a status and a message', async () => {
    const { chat, server, client } = await serve({ refuse: 429, message: 'slow down' })
    await using _ = server
    const ask = (sdk: OpenAI): Promise<unknown> =>
      sdk.chat.completions.create({ ...request, messages: [...request.messages], stream: true })
    await expect(ask(client)).rejects.toMatchObject({ status: 429, message: '429 slow down' })
    await expect(ask(client)).rejects.toMatchObject({ status: 500 })
    const unauthorised = new OpenAI({ apiKey: 'wrong', baseURL: chat.urlAt(server), maxRetries: 0 })
    await expect(ask(unauthorised)).rejects.toMatchObject({ status: 401 })
    await expect(client.models.list()).rejects.toMatchObject({ status: 404 })
    const unstreamed = client.chat.completions.create({ ...request, messages: [...request.messages] })
    await expect(unstreamed).rejects.toMatchObject({ status: 400 })
    expect(chat.requests.every(({ how }) => how === 'refused')).toBe(true)
  })

  it('is seen to leave when it aborts a request', async () => {
    const { chat, server, client } = await serve({ hangs: true })
    await using _ = server
    const stop = new AbortController()
    const response = client.chat.completions.create(
      { ...request, messages: [...request.messages], stream: true },
      { signal: stop.signal },
    )
    await chat.until(() => chat.open === 1)
    stop.abort()
    await expect(response).rejects.toThrow('abort')
    await chat.until(() => chat.open === 0)
    expect(chat.requests.map(({ how }) => how)).toEqual(['left'])
  })
})
