import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js'

import { LimitError } from '../../scope/index.ts'
import { McpToolsetError } from './errors.ts'
import { limits } from './limits.ts'
import type { Sdk } from './sdk.ts'

/** Disables the SDK's own request timeout, because all timeouts here use the session's clock. */
export const NO_TIMEOUT = 2 ** 31 - 1

/** Lists all tools of a server, page by page. */
export async function listTools(client: Client, sdk: Sdk, name: string): Promise<readonly ListedTool[]> {
  if (!client.getServerCapabilities()?.tools)
    throw new McpToolsetError('MCP_START_FAILED', `'${name}' is an MCP server without tools`)
  const found: ListedTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < limits.pages; page++) {
    const { tools, nextCursor } = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      sdk.ListToolsResultSchema,
      { timeout: NO_TIMEOUT },
    )
    found.push(...tools)
    cursor = nextCursor
    if (cursor === undefined) return found
  }
  throw new LimitError('pages', limits.pages, `the tool list of '${name}' does not end`)
}
