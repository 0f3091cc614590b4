import { McpToolsetError } from './errors.ts'

/** What is used of the SDK. Nothing of it is loaded before somebody opens a toolset: most sessions have none. */
export type Sdk = Awaited<ReturnType<typeof loadSdk>>

/** Loads the SDK, which is installed by those who use it. */
export async function loadSdk() {
  try {
    const [{ Client }, { ReadBuffer, serializeMessage }, types] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/shared/stdio.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ])
    const { CallToolResultSchema, ListToolsResultSchema, ToolListChangedNotificationSchema } = types
    const { JSONRPCMessageSchema, McpError, ErrorCode } = types
    return {
      Client,
      ReadBuffer,
      serializeMessage,
      CallToolResultSchema,
      ListToolsResultSchema,
      ToolListChangedNotificationSchema,
      JSONRPCMessageSchema,
      McpError,
      ErrorCode,
    }
  } catch (cause) {
    throw new McpToolsetError(
      'MCP_NOT_INSTALLED',
      'tools of an MCP server need a package that cannot be loaded: npm install @modelcontextprotocol/sdk',
      { cause },
    )
  }
}
