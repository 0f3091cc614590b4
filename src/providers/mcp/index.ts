export { McpToolsetError, type McpToolsetErrorCode } from './errors.ts'
export { mcpTools } from './mcp-tools.ts'
export type { McpCallOptions, McpHeaders, McpHttpOptions, McpOptions, McpProcessOptions } from './options.ts'
