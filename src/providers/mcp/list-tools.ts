import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js'

import { LimitError } from '../../scope/index.ts'
import { McpToolsetError } from './errors.ts'
import { limits } from './limits.ts'
import type { Sdk } from './sdk.ts'

/** The SDK has a timer for each request. Ours are those of the session's clock, so its own must never be first. */
export const NEVER = 2 ** 31 - 1

/** Everything that a server offers, page by page. */
export async function listTools(client: Client, sdk: Sdk, name: string): Promise<readonly ListedTool[]> {
  if (!client.getServerCapabilities()?.tools)
    throw new McpToolsetError('MCP_START_FAILED', `'${name}' is a server without tools`)
  const found: ListedTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < limits.pages; page++) {
    const { tools, nextCursor } = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      sdk.ListToolsResultSchema,
      { timeout: NEVER },
    )
    found.push(...tools)
    cursor = nextCursor
    if (cursor === undefined) return found
  }
  throw new LimitError('pages', limits.pages, `'${name}' has more and more tools`)
}
