import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterEach, describe, expect, it } from 'vitest'

import { mcpTools, type McpToolsetError } from '../../../src/providers/mcp/index.ts'
import { aContext, aToolContext } from './fixture.ts'

const REVISION = '2026-07-28'
const META = 'io.modelcontextprotocol'

interface Seen {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly meta: Record<string, unknown>
}

interface ServerOptions {
  /** The revisions that it speaks. */
  readonly versions?: readonly string[]
  /** How it refuses a request of another revision: with this HTTP status. */
  readonly refuses?: number
}

type Rpc = { id?: unknown; method: string; params?: Record<string, Record<string, unknown> | undefined> }

const results: Record<string, object> = {
  'tools/list': {
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    tools: [{ name: 'find slot', description: 'Finds a slot', inputSchema: { type: 'object' } }],
  },
  'tools/call': { resultType: 'complete', content: [{ type: 'text', text: 'nine' }] },
}

const stops: (() => Promise<void>)[] = []

/** A server that speaks only the stateless revision: every request describes itself, and there is no handshake. */
async function stateless({ versions = [REVISION], refuses = 400 }: ServerOptions = {}) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece: Buffer) => (text += piece.toString()))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(text || '{}') as Rpc
      const meta = params?.['_meta'] ?? {}
      seen.push({
        method: request.method === 'POST' ? method : String(request.method),
        headers: request.headers,
        meta,
      })
      const answer = (status: number, body: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
      }
      if (meta[`${META}/protocolVersion`] !== REVISION || request.headers['mcp-method'] !== method)
        return answer(refuses, { error: { code: -32_022, message: 'Unsupported protocol version' } })
      if (method === 'server/discover')
        return answer(200, {
          result: { resultType: 'complete', supportedVersions: versions, capabilities: { tools: {} } },
        })
      const result = results[method]
      return result
        ? answer(200, { result })
        : answer(404, { error: { code: -32_601, message: 'Method not found' } })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return { url, seen, methods: () => seen.map(({ method }) => method) }
}

describe('an MCP server that speaks only the stateless revision', () => {
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })

  it.each([400, 200])('is used without a handshake after it refused one with status %i', async (refuses) => {
    const server = await stateless({ refuses })
    const { close, ...context } = aContext()
    const tools = await mcpTools({ name: 'crm', url: server.url }).open(context)
    const [tool] = Object.values(tools)
    expect(await tool!.run({}, aToolContext())).toBe('nine')
    expect(server.methods()).toEqual(['initialize', 'server/discover', 'tools/list', 'tools/call'])
    for (const { meta, headers, method } of server.seen.slice(1)) {
      expect(meta).toMatchObject({
        [`${META}/protocolVersion`]: REVISION,
        [`${META}/clientCapabilities`]: {},
        [`${META}/clientInfo`]: { name: 'endwell' },
      })
      expect(headers).toMatchObject({ 'mcp-protocol-version': REVISION, 'mcp-method': method })
      expect(headers).not.toHaveProperty('mcp-session-id')
    }
    expect(server.seen.at(-1)?.headers['mcp-name']).toBe('find slot')
    // The token of progress is kept beside the description.
    expect(server.seen.at(-1)?.meta).toHaveProperty('progressToken')
    expect(await close()).toMatchObject({ clean: true })
    expect(server.methods()).toHaveLength(4)
  })

  it('is refused with its own answer to the handshake if it does not speak this revision either', async () => {
    const server = await stateless({ versions: ['2027-12-24'] })
    const { close, ...context } = aContext()
    const opening = mcpTools({ name: 'crm', url: server.url }).open(context)
    const error = await opening.then(
      () => undefined,
      (reason: unknown) => reason as McpToolsetError,
    )
    expect(error).toMatchObject({ code: 'MCP_REFUSED', status: 400 })
    expect(server.methods()).toEqual(['initialize', 'server/discover'])
    await close()
  })
})
