import { describe, expect, it } from 'vitest'

import type { HttpManners } from './http-server.ts'
import { opened } from './http-toolset.ts'

describe('an MCP response over HTTP', () => {
  it('that breaks off is resumed where it broke, after the delay that the server asks for', async () => {
    const { call, close, fire, clock, events, server } = await opened({ resumable: { retry: 1_234 } })
    const breaking = call('breaks')
    await events.waitFor('end of POST tools/call')
    await fire('resumption of a stream')
    expect(clock.now()).toBe(1_234)
    expect(await breaking).toBe('after the break')
    expect(server.requests.at(-1)).toMatchObject({
      method: 'GET',
      headers: { 'last-event-id': expect.any(String) as string },
    })
    await close()
  })

  it('that breaks off and cannot be resumed fails the call at once', async () => {
    const cut: HttpManners['intercept'] = ({ rpcMethod }, response) => {
      if (rpcMethod !== 'tools/call') return false
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"half": ', () => response.destroy())
      return true
    }
    const { call, close, server } = await opened({ intercept: cut })
    await expect(call('echo')).rejects.toMatchObject({
      code: 'MCP_BAD_ANSWER',
      message: "the connection to 'crm' broke before it responded",
    })
    expect(server.requests.filter(({ rpcMethod }) => rpcMethod === 'tools/call')).toHaveLength(1)
    await close()
  })

  it('is resumed at most three times', async () => {
    const breaks: HttpManners['intercept'] = ({ rpcMethod, method }, response) => {
      if (rpcMethod !== 'tools/call' && method !== 'GET') return false
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('id: 1\nretry: 99999999\ndata:\n\n')
      return true
    }
    const { call, close, fire, clock, server } = await opened({ intercept: breaks })
    const breaking = call('echo')
    for (let i = 0; i < 3; i++) await fire('resumption of a stream')
    await expect(breaking).rejects.toMatchObject({ code: 'MCP_BAD_ANSWER' })
    expect(server.requests.filter(({ method }) => method === 'GET')).toHaveLength(3)
    expect(clock.now()).toBe(30_000)
    await close()
  })

  it('whose stream stays open is aborted after a while', async () => {
    const { call, close, fire, events, server } = await opened({
      intercept: ({ rpcMethod, id }, response) => {
        if (rpcMethod !== 'tools/call') return false
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`data: {"jsonrpc":"2.0","id":${id},"result":{"content":[]}}\n\n`)
        return true
      },
    })
    expect(await call('echo')).toBeUndefined()
    await fire('end of a stream')
    await events.waitFor('end of POST tools/call')
    expect(server.open).toBe(0)
    await close()
  })

  it('that is malformed or too long fails the call', async () => {
    let type = 'text/html'
    let body = '<html>'
    const { call, close } = await opened({
      intercept: ({ rpcMethod }, response) => {
        if (rpcMethod !== 'tools/call') return false
        response.writeHead(200, { 'content-type': type }).end(body)
        return true
      },
    })
    await expect(call('echo')).rejects.toMatchObject({ code: 'MCP_BAD_ANSWER' })
    type = 'application/json'
    await expect(call('echo')).rejects.toMatchObject({ code: 'MCP_BAD_ANSWER' })
    body = '{"jsonrpc":"2.0","id":4}'
    await expect(call('echo')).rejects.toMatchObject({ code: 'MCP_BAD_ANSWER' })
    body = `"${'x'.repeat(5 * 1024 * 1024)}"`
    await expect(call('echo')).rejects.toMatchObject({ code: 'LIMIT' })
    type = 'text/event-stream'
    await expect(call('echo')).rejects.toMatchObject({ code: 'LIMIT' })
    await close()
  })
})
