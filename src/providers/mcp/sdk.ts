import { findPackage, isBundled, reportMissing } from '../find-package.ts'
import { McpToolsetError } from './errors.ts'

/** The part of the SDK that is used. */
export type Sdk = Awaited<ReturnType<typeof loadSdk>>

/** Reports if the SDK, an optional peer dependency, is not installed. Does not load it. */
export function requireSdk(): void {
  if (!isBundled && findPackage('@modelcontextprotocol/sdk/client/index.js') === undefined)
    reportMissing('@modelcontextprotocol/sdk', () => notInstalled())
}

/** Loads the SDK when the first toolset is opened. */
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
    throw notInstalled({ cause })
  }
}

function notInstalled(options?: ErrorOptions): McpToolsetError {
  return new McpToolsetError(
    'MCP_NOT_INSTALLED',
    'mcpTools needs the package @modelcontextprotocol/sdk, which could not be loaded. ' +
      'Run: npm install @modelcontextprotocol/sdk',
    options,
  )
}
