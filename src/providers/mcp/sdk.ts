import { McpToolsetError } from './errors.ts'

/** The part of the SDK that is used. */
export type Sdk = Awaited<ReturnType<typeof loadSdk>>

/** Loads the SDK, an optional peer dependency, when the first toolset is opened. */
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
      'mcpTools needs the package @modelcontextprotocol/sdk, which could not be loaded. ' +
        'Run: npm install @modelcontextprotocol/sdk',
      { cause },
    )
  }
}
