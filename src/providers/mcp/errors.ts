import { EndwellError } from '../../scope/index.ts'

/**
 * - `MCP_NOT_INSTALLED`: the SDK is not installed
 * - `MCP_START_FAILED`, `MCP_START_TIMEOUT`: the server could not be started, or did not list its tools
 * - `MCP_UNREACHABLE`: no server answers at the URL
 * - `MCP_REFUSED`: the server rejected a request
 * - `MCP_BAD_ANSWER`: a response was malformed or never arrived
 * - `MCP_TOOL_FAILED`: the tool reported a failure; the message is the tool's
 * - `MCP_GONE`: the server ended during a call
 * - `MCP_GAVE_UP`: the server died more than `maxRestarts` times
 * - `MCP_CLOSED`: the toolset is closing or closed
 * - `MCP_IGNORED_END`: the server did not end when it was asked to
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

/** An MCP server or a call of one of its tools failed. The model reads the message of a failed call. */
export class McpToolsetError extends EndwellError {
  override readonly code: McpToolsetErrorCode
  /** The HTTP status of the response, if the server rejected a request. */
  readonly status?: number

  constructor(
    code: McpToolsetErrorCode,
    message: string,
    { status, ...options }: ErrorOptions & { readonly status?: number } = {},
  ) {
    super(code, message, options)
    this.code = code
    if (status !== undefined) this.status = status
  }
}
