import { describe, expect, it } from 'vitest'

import { opened, opening } from './http-toolset.ts'

describe('the end of an MCP session over HTTP', () => {
  it.each(['initialize', 'notifications/initialized', 'tools/list'])(
    'during %s leaves nothing at the server',
    async (rpcMethod) => {
      const { tools, close, server, clock } = await opening(rpcMethod)
      expect(await close()).toMatchObject({ clean: true })
      await expect(tools).rejects.toMatchObject({ name: 'AbortError' })
      await server.events.until(() => server.open === 0)
      expect(server.sessions).toBe(0)
      expect(clock.now()).toBe(0)
    },
  )

  it('aborts and cancels the calls, ends the session, and sends nothing after that', async () => {
    const { call, close, events, server, connections } = await opened({ resumable: {} })
    const calls = [call('wait'), call('wait')]
    await events.waitFor('call wait', 2)
    const closed = close()
    for (const each of calls) await expect(each).rejects.toMatchObject({ code: 'MCP_CLOSED' })
    expect(await closed).toMatchObject({ clean: true })
    const { length } = server.requests
    expect(server.requests.at(-1)?.method).toBe('DELETE')
    await events.until(() => server.open === 0)
    expect(server.requests).toHaveLength(length)
    expect(connections).toMatchObject([{ how: 'acknowledged' }])
  })

  it('prevents the resumption of a broken stream', async () => {
    const { call, close, events, server, clock } = await opened({ resumable: { retry: 5_000 } })
    const breaking = call('breaks')
    breaking.catch(() => {})
    await events.waitFor('end of POST tools/call')
    await clock.set('resumption of a stream')
    expect(await close()).toMatchObject({ clean: true })
    await expect(breaking).rejects.toMatchObject({ code: 'MCP_CLOSED' })
    expect(clock.step()).toBeUndefined()
    expect(server.requests.some(({ method }) => method === 'GET')).toBe(false)
  })

  it('is bounded even if the server does not respond', async () => {
    const { call, close, fire, clock, events, server, connections } = await opened({
      intercept: ({ method }) => method === 'DELETE',
    })
    const waiting = call('wait')
    waiting.catch(() => {})
    await events.waitFor('call wait')
    const closed = close()
    await events.waitFor('DELETE')
    await events.waitFor('end of POST tools/call')
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

  it('is bounded even if the headers function never resolves', async () => {
    let headers = (): Promise<Record<string, string>> => Promise.resolve({})
    const { close, fire, server } = await opened({}, { headers: () => headers() })
    const { length } = server.requests
    headers = () => new Promise(() => {})
    const closed = close()
    await fire("end of 'crm'")
    expect(await closed).toMatchObject({ took: 1_000, clean: false })
    expect(server.requests).toHaveLength(length)
  })

  it.each<[string, number, string]>([
    ['does not let clients end sessions', 405, 'closed'],
    ['fails', 500, 'closed'],
  ])('is clean with a server that %s', async (_, status, how) => {
    const { close, connections } = await opened({
      intercept: ({ method }, response) => {
        if (method === 'DELETE') response.writeHead(status).end()
        return method === 'DELETE'
      },
    })
    expect(await close()).toMatchObject({ clean: true })
    expect(connections).toEqual([{ name: 'crm', how, code: status, retries: 0 }])
  })

  it('is reported as dropped if the server can no longer be reached', async () => {
    const { close, connections, server } = await opened()
    await server.stop()
    expect(await close()).toMatchObject({ steps: [{ name: 'server', outcome: 'done' }] })
    expect(connections).toMatchObject([{ how: 'dropped' }])
  })

  it('is immediate when its scope is aborted', async () => {
    const { call, scope, clock, events, server } = await opened()
    const waiting = call('wait')
    await events.waitFor('call wait')
    scope.abort()
    expect(scope.state).toBe('closed')
    expect(clock.timers.list()).toEqual([])
    await expect(waiting).rejects.toMatchObject({ code: 'MCP_CLOSED' })
    await events.until(() => server.open === 0)
    expect(server.requests.at(-1)?.rpcMethod).toBe('tools/call')
  })
})
