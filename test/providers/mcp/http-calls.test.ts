import { describe, expect, it } from 'vitest'

import { aToolContext } from './fixture.ts'
import type { HttpManners } from './http-server.ts'
import { opened } from './http-toolset.ts'

describe('an MCP server at a URL', () => {
  it.each<[string, HttpManners]>([
    ['with streams', {}],
    ['with streams that can be resumed', { resumable: {} }],
    ['with plain JSON', { json: true }],
    ['without sessions', { stateless: true }],
  ])('that responds %s offers its tools', async (_, manners) => {
    const { tools, call, close, connections, server } = await opened(manners)
    expect(Object.keys(tools)).toHaveLength(16)
    expect(await call('echo', { text: 'hello' })).toBe('hello')
    expect(await call('add', { a: 1, b: 2 })).toEqual({ sum: 3 })
    await expect(call('fail')).rejects.toMatchObject({ code: 'MCP_TOOL_FAILED' })
    await expect(call('refuse')).rejects.toMatchObject({ code: 'MCP_REFUSED' })
    expect(await close()).toMatchObject({ clean: true })
    const how = manners.stateless ? 'closed' : 'acknowledged'
    expect(connections).toEqual([{ name: 'crm', how, retries: 0 }])
    expect(server.sessions).toBe(0)
  })

  it('gets fresh headers with each request', async () => {
    let count = 0
    const { call, close, server } = await opened(
      {},
      { headers: async () => ({ authorization: `Bearer ${++count}` }) },
    )
    await call('echo', { text: 'hello' })
    await close()
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      server.requests.map((_, index) => `Bearer ${index + 1}`),
    )
    expect(server.requests.at(-1)).toMatchObject({
      method: 'DELETE',
      headers: { 'mcp-protocol-version': expect.any(String) as string },
    })
  })

  it('reports progress, and a cancelled call is cancelled there', async () => {
    const { call, close, events } = await opened()
    const context = aToolContext()
    await call('steps', {}, context)
    expect(context.updates).toEqual(['1/3', 'nearly there', '3'])
    const controller = new AbortController()
    const waiting = call('wait', {}, aToolContext(controller.signal))
    await events.waitFor('call wait')
    const reason = new Error('never mind')
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await events.waitFor('cancelled wait')
    await events.waitFor('end of POST tools/call', 2)
    await close()
  })

  it('that forgets the session fails the call, and the next call starts a new session', async () => {
    const { call, close, server, connections } = await opened()
    await server.forgetSessions()
    await expect(call('echo')).rejects.toMatchObject({ code: 'MCP_GONE' })
    expect(await call('echo', { text: 'hello' })).toBe('hello')
    await close()
    expect(connections).toMatchObject([
      { how: 'dropped', code: 404, retries: 0 },
      { how: 'acknowledged', retries: 1 },
    ])
  })

  it('that cannot be reached during a call fails only that call', async () => {
    let unreachable = false
    const { call, close } = await opened({
      intercept: (_, response) => {
        if (unreachable) response.destroy()
        return unreachable
      },
    })
    unreachable = true
    await expect(call('echo')).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' })
    unreachable = false
    expect(await call('echo', { text: 'hello' })).toBe('hello')
    await close()
  })
})
