import { EndwellError } from '../../scope/index.ts'

/**
 * - `MCP_NOT_INSTALLED`: the SDK is not there
 * - `MCP_START_FAILED`, `MCP_START_TIMEOUT`: the server could not be started, or has no list of tools to give
 * - `MCP_UNREACHABLE`: nobody answers at its address
 * - `MCP_REFUSED`: it has answered that it will not
 * - `MCP_BAD_ANSWER`: its answer cannot be read, or never came
 * - `MCP_TOOL_FAILED`: the tool itself says that it failed; the message has its words
 * - `MCP_GONE`: the server ended in the middle of a call
 * - `MCP_GAVE_UP`: it was started too often
 * - `MCP_CLOSED`: something was asked of it while it was being closed
 * - `MCP_IGNORED_END`: it did not end when it was asked to
 */
export type McpToolsetErrorCode =
  | 'MCP_NOT_INSTALLED'
  | 'MCP_START_FAILED'
  | 'MCP_START_TIMEOUT'
  | 'MCP_UNREACHABLE'
  | 'MCP_REFUSED'
  | 'MCP_BAD_ANSWER'
  | 'MCP_TOOL_FAILED'
  | 'MCP_GONE'
  | 'MCP_GAVE_UP'
  | 'MCP_CLOSED'
  | 'MCP_IGNORED_END'

/** A server of tools, or a call of one of its tools, has failed. The message is what the model reads of a call. */
export class McpToolsetError extends EndwellError {
  declare readonly code: McpToolsetErrorCode
}
