import { mcpTools, type McpHttpOptions, type McpToolsetError } from '../../../src/providers/mcp/index.ts'
import type { Tool } from '../../../src/session/index.ts'
import { aContext, aToolContext } from './fixture.ts'
import { HttpServerUnderTest, type HttpManners } from './http-server.ts'

/** Opens the toolset of a server with these manners. */
export async function opened(manners: HttpManners = {}, options: Partial<McpHttpOptions> = {}) {
  const server = await HttpServerUnderTest.listen(manners)
  const context = aContext()
  const tools = await mcpTools({ name: 'crm', url: server.url, ...options }).open(context)
  const call = async (name: string, input: object = {}, how = aToolContext()): Promise<unknown> =>
    (tools[name] as Tool).run(input, how)
  return { ...context, server, events: server.events, tools, call }
}

/** Returns the error of opening a toolset. */
export async function refused(manners: HttpManners, options: Partial<McpHttpOptions> = {}) {
  const server = await HttpServerUnderTest.listen(manners)
  const context = aContext()
  const tools = mcpTools({ name: 'crm', url: server.url, ...options }).open(context)
  const error = await tools.then(
    () => undefined,
    (reason: unknown) => reason as McpToolsetError,
  )
  await context.close()
  return { ...context, error: error!, server }
}

/** Starts to open the toolset of a server that does not respond to this method. */
export async function opening(rpcMethod: string, more: HttpManners = {}) {
  const server = await HttpServerUnderTest.listen({
    intercept: (request) => request.rpcMethod === rpcMethod,
    ...more,
  })
  const context = aContext()
  const tools = mcpTools({ name: 'crm', url: server.url }).open(context)
  tools.catch(() => {})
  await server.events.waitFor(`POST ${rpcMethod}`)
  return { ...context, server, tools }
}
