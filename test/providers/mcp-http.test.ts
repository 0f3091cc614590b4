import { inspect } from 'node:util'

import { describe, expect, it } from 'vitest'

import { mcpTools, type McpHttpOptions, type McpToolsetError } from '../../src/providers/mcp/index.ts'
import type { Tool } from '../../src/session/index.ts'
import { aContext, aToolContext } from './mcp-fixture.ts'
import { HttpServerUnderTest, type HttpManners } from './mcp-http-server.ts'

/** The tools of a server with these manners, opened by hand. */
async function opened(manners: HttpManners = {}, options: Partial<McpHttpOptions> = {}) {
  const server = await HttpServerUnderTest.listen(manners)
  const context = aContext()
  const tools = await mcpTools({ name: 'crm', url: server.url, ...options }).open(context)
  const call = async (name: string, input: object = {}, how = aToolContext()): Promise<unknown> =>
    (tools[name] as Tool).run(input, how)
  return { ...context, server, events: server.events, tools, call }
}

/** What opening fails with. */
async function refused(manners: HttpManners, options: Partial<McpHttpOptions> = {}) {
  const server = await HttpServerUnderTest.listen(manners)
  const context = aContext()
  const opening = mcpTools({ name: 'crm', url: server.url, ...options }).open(context)
  const error = await opening.then(
    () => undefined,
    (reason: unknown) => reason as McpToolsetError,
  )
  await context.close()
  return { ...context, error: error!, server }
}

/** A server that has got this request and does not answer. */
async function beginning(wants: string, more: HttpManners = {}) {
  const server = await HttpServerUnderTest.listen({ takes: (request) => request.wants === wants, ...more })
  const context = aContext()
  const opening = mcpTools({ name: 'crm', url: server.url }).open(context)
  opening.catch(() => {})
  await server.events.told(`POST ${wants}`)
  return { ...context, server, opening }
}

describe('a server behind an address', () => {
  it.each<[string, HttpManners]>([
    ['with streams', {}],
    ['with streams that can be resumed', { resumable: {} }],
    ['with plain JSON', { json: true }],
    ['without sessions', { stateless: true }],
  ])('that answers %s offers its tools', async (_, manners) => {
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

  it('is sent the headers with each request, also those that are made anew each time', async () => {
    let asked = 0
    const { call, close, server } = await opened(
      {},
      { headers: async () => ({ authorization: `Bearer ${++asked}` }) },
    )
    await call('echo', { text: 'hello' })
    await close()
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(
      server.seen.map((_, index) => `Bearer ${index + 1}`),
    )
    expect(server.seen.at(-1)).toMatchObject({
      method: 'DELETE',
      headers: { 'mcp-protocol-version': expect.any(String) as string },
    })
  })

  it('tells how far a call is, and what is cancelled is cancelled there', async () => {
    const { call, close, events } = await opened()
    const context = aToolContext()
    await call('steps', {}, context)
    expect(context.updates).toEqual(['1/3', 'nearly there', '3'])
    const controller = new AbortController()
    const waiting = call('wait', {}, aToolContext(controller.signal))
    await events.told('call wait')
    const reason = new Error('never mind')
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await events.told('cancelled wait')
    await events.told('end of POST tools/call', 2)
    await close()
  })

  it('that forgets the session fails the call, and gets a new one with the next', async () => {
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
})

describe('an answer over HTTP', () => {
  it('that breaks off is taken up again where it broke, when the server wants that', async () => {
    const { call, close, fire, clock, events, server } = await opened({ resumable: { retry: 1_234 } })
    const breaking = call('breaks')
    await events.told('end of POST tools/call')
    await fire('resumption of a stream')
    expect(clock.now()).toBe(1_234)
    expect(await breaking).toBe('after the break')
    expect(server.seen.at(-1)).toMatchObject({
      method: 'GET',
      headers: { 'last-event-id': expect.any(String) as string },
    })
    await close()
  })

  it('that breaks off where nothing can be taken up fails the call at once', async () => {
    const cut: HttpManners['takes'] = ({ wants }, response) => {
      if (wants !== 'tools/call') return false
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"half": ', () => response.destroy())
      return true
    }
    const { call, close, server } = await opened({ takes: cut })
    await expect(call('echo')).rejects.toMatchObject({
      code: 'MCP_BAD_ANSWER',
      message: "'crm' broke off before it had answered",
    })
    expect(server.seen.filter(({ wants }) => wants === 'tools/call')).toHaveLength(1)
    await close()
  })

  it('is taken up again only so often', async () => {
    const breaks: HttpManners['takes'] = ({ wants, method }, response) => {
      if (wants !== 'tools/call' && method !== 'GET') return false
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('id: 1\nretry: 99999999\ndata:\n\n')
      return true
    }
    const { call, close, fire, clock, server } = await opened({ takes: breaks })
    const breaking = call('echo')
    for (let i = 0; i < 3; i++) await fire('resumption of a stream')
    await expect(breaking).rejects.toMatchObject({ code: 'MCP_BAD_ANSWER' })
    expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(3)
    expect(clock.now()).toBe(30_000)
    await close()
  })

  it('whose stream stays open is left after a while', async () => {
    const { call, close, fire, events, server } = await opened({
      takes: ({ wants, id }, response) => {
        if (wants !== 'tools/call') return false
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`data: {"jsonrpc":"2.0","id":${id},"result":{"content":[]}}\n\n`)
        return true
      },
    })
    expect(await call('echo')).toBeUndefined()
    await fire('end of a stream')
    await events.told('end of POST tools/call')
    expect(server.open).toBe(0)
    await close()
  })

  it('that is no answer, or without end, fails the call', async () => {
    let type = 'text/html'
    let body = '<html>'
    const { call, close } = await opened({
      takes: ({ wants }, response) => {
        if (wants !== 'tools/call') return false
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

describe('a server that cannot be reached', () => {
  it('is told without the secrets in its address and its headers', async () => {
    const server = await HttpServerUnderTest.listen()
    const url = new URL(server.url)
    await server.stop()
    url.search = '?key=sesame-street'
    const headers = { authorization: 'Bearer sesame-street' }
    const { error, connections } = await refused({}, { url, headers })
    expect(error).toMatchObject({
      code: 'MCP_UNREACHABLE',
      message: "'crm' cannot be reached (ECONNREFUSED)",
    })
    expect(connections).toEqual([])
    expect(inspect({ error, toolset: mcpTools({ url, headers }) }, { depth: 9 })).not.toContain('sesame')
  })

  it.each([
    [401, 'it is not authorised. Check its headers'],
    [404, 'there is no MCP server. Check its url'],
    [307, 'it is somewhere else. Give the address it has moved to'],
    [503, 'it cannot answer now'],
  ])('because it answers with status %d is told as what that means', async (status, words) => {
    const { error, server } = await refused({
      takes: (_, response) => {
        response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('the key sesame-street is wrong')
        return true
      },
    })
    expect(error).toMatchObject({
      code: 'MCP_REFUSED',
      message: `'crm' answered with status ${status}: ${words}`,
    })
    expect(server.seen).toHaveLength(1)
  })

  it('in the middle of a call fails that call alone', async () => {
    let away = false
    const { call, close } = await opened({
      takes: (_, response) => {
        if (away) response.destroy()
        return away
      },
    })
    away = true
    await expect(call('echo')).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' })
    away = false
    expect(await call('echo', { text: 'hello' })).toBe('hello')
    await close()
  })

  it.each(['initialize', 'notifications/initialized', 'tools/list'])(
    'because it hangs in %s is given up after startTimeout',
    async (wants) => {
      const { opening, fire, close, server } = await beginning(wants)
      await fire("startTimeout of 'crm'")
      await expect(opening).rejects.toMatchObject({ code: 'MCP_START_TIMEOUT' })
      expect(await close()).toMatchObject({ clean: true })
      await server.events.until(() => server.open === 0)
    },
  )
})

describe('the end of a session over HTTP', () => {
  it.each(['initialize', 'notifications/initialized', 'tools/list'])(
    'comes while it hangs in %s, and nothing is left at the server',
    async (wants) => {
      const { opening, close, server, clock } = await beginning(wants)
      expect(await close()).toMatchObject({ clean: true })
      await expect(opening).rejects.toMatchObject({ name: 'AbortError' })
      await server.events.until(() => server.open === 0)
      expect(server.sessions).toBe(0)
      expect(clock.now()).toBe(0)
    },
  )

  it('aborts the calls and their answers, tells the server of both, and sends nothing after that', async () => {
    const { call, close, events, server, connections } = await opened({ resumable: {} })
    const calls = [call('wait'), call('wait')]
    await events.told('call wait', 2)
    const closed = close()
    for (const each of calls) await expect(each).rejects.toMatchObject({ code: 'MCP_CLOSED' })
    expect(await closed).toMatchObject({ clean: true })
    const { length } = server.seen
    expect(server.seen.at(-1)?.method).toBe('DELETE')
    await events.until(() => server.open === 0)
    expect(server.seen).toHaveLength(length)
    expect(connections).toMatchObject([{ how: 'acknowledged' }])
  })

  it('comes while a stream waits to be taken up again: it never is', async () => {
    const { call, close, events, server, clock } = await opened({ resumable: { retry: 5_000 } })
    const breaking = call('breaks')
    breaking.catch(() => {})
    await events.told('end of POST tools/call')
    await clock.set('resumption of a stream')
    expect(await close()).toMatchObject({ clean: true })
    await expect(breaking).rejects.toMatchObject({ code: 'MCP_CLOSED' })
    expect(clock.step()).toBeUndefined()
    expect(server.seen.some(({ method }) => method === 'GET')).toBe(false)
  })

  it('is bounded, also if the server does not answer', async () => {
    const { call, close, fire, clock, events, server, connections } = await opened({
      takes: ({ method }) => method === 'DELETE',
    })
    const waiting = call('wait')
    waiting.catch(() => {})
    await events.told('call wait')
    const closed = close()
    await events.told('DELETE')
    await events.told('end of POST tools/call')
    await fire("end of 'crm'")
    expect(await closed).toMatchObject({
      took: 1_000,
      clean: false,
      steps: [{ outcome: 'failed', error: { code: 'MCP_IGNORED_END' } }],
    })
    expect(clock.now()).toBe(1_000)
    expect(connections).toEqual([{ name: 'crm', how: 'aborted', retries: 0 }])
    await events.until(() => server.open === 0)
  })

  it('is bounded, also if the headers never come', async () => {
    let headers = (): Promise<Record<string, string>> => Promise.resolve({})
    const { close, fire, server } = await opened({}, { headers: () => headers() })
    const { length } = server.seen
    headers = () => new Promise(() => {})
    const closed = close()
    await fire("end of 'crm'")
    expect(await closed).toMatchObject({ took: 1_000, clean: false })
    expect(server.seen).toHaveLength(length)
  })

  it.each<[string, number, string]>([
    ['does not let others end its sessions', 405, 'closed'],
    ['has failed', 500, 'closed'],
  ])('is fine with a server that %s', async (_, status, how) => {
    const { close, connections } = await opened({
      takes: ({ method }, response) => {
        if (method === 'DELETE') response.writeHead(status).end()
        return method === 'DELETE'
      },
    })
    expect(await close()).toMatchObject({ clean: true })
    expect(connections).toEqual([{ name: 'crm', how, code: status, retries: 0 }])
  })

  it('knows that the server was gone before', async () => {
    const { close, connections, server } = await opened()
    await server.stop()
    expect(await close()).toMatchObject({ steps: [{ name: 'server', outcome: 'done' }] })
    expect(connections).toMatchObject([{ how: 'dropped' }])
  })

  it('comes at once when its scope is aborted', async () => {
    const { call, scope, clock, events, server } = await opened()
    const waiting = call('wait')
    await events.told('call wait')
    scope.abort()
    expect(scope.state).toBe('closed')
    expect(clock.timers.list()).toEqual([])
    await expect(waiting).rejects.toMatchObject({ code: 'MCP_CLOSED' })
    await events.until(() => server.open === 0)
    expect(server.seen.at(-1)?.wants).toBe('tools/call')
  })
})
