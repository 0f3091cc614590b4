import { inspect } from 'node:util'

import { describe, expect, it } from 'vitest'

import { mcpTools } from '../../../src/providers/mcp/index.ts'
import { HttpServerUnderTest } from './http-server.ts'
import { opening, refused } from './http-toolset.ts'

describe('the start of a toolset over HTTP', () => {
  it('fails without repeating the secrets in the URL and the headers', async () => {
    const server = await HttpServerUnderTest.listen()
    const url = new URL(server.url)
    await server.stop()
    url.search = '?key=sesame-street'
    const headers = { authorization: 'Bearer sesame-street' }
    const { error, connections } = await refused({}, { url, headers })
    expect(error).toMatchObject({
      code: 'MCP_UNREACHABLE',
      message: "'crm' cannot be reached (ECONNREFUSED). Check its url",
    })
    expect(connections).toEqual([])
    expect(inspect({ error, toolset: mcpTools({ url, headers }) }, { depth: 9 })).not.toContain('sesame')
  })

  it.each([
    [401, 'not authorised. Check the headers'],
    [404, 'there is no MCP server. Check the url'],
    [307, 'the server has moved. Set its new url'],
    [503, 'unavailable. Try again later'],
  ])('fails after status %d with "%s"', async (status, meaning) => {
    const { error, server } = await refused({
      intercept: (_, response) => {
        response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('the key sesame-street is wrong')
        return true
      },
    })
    expect(error).toMatchObject({
      code: 'MCP_REFUSED',
      message: `'crm' answered with status ${status}: ${meaning}`,
    })
    expect(server.requests).toHaveLength(1)
  })

  it.each(['initialize', 'notifications/initialized', 'tools/list'])(
    'fails after startTimeout if the server hangs in %s',
    async (rpcMethod) => {
      const { tools, fire, close, server } = await opening(rpcMethod)
      await fire("startTimeout of 'crm'")
      await expect(tools).rejects.toMatchObject({ code: 'MCP_START_TIMEOUT' })
      expect(await close()).toMatchObject({ clean: true })
      await server.events.until(() => server.open === 0)
    },
  )
})
