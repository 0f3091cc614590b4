import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'

/** The first revision of the protocol without a handshake and without sessions. */
export const REVISION = '2026-07-28'

const PREFIX = 'io.modelcontextprotocol/'

/** Adds to a request what a stateless server has to know about its client. */
export function describing(request: JSONRPCRequest, clientInfo: object): JSONRPCRequest {
  const { params = {} } = request
  const description = {
    [`${PREFIX}protocolVersion`]: REVISION,
    [`${PREFIX}clientCapabilities`]: {},
    [`${PREFIX}clientInfo`]: clientInfo,
  }
  return { ...request, params: { ...params, _meta: { ...params['_meta'], ...description } } }
}

/** The headers that repeat the description of a request, so that a proxy need not read its body. */
export function headersOf({ method, params }: JSONRPCRequest): Record<string, string> {
  const version: unknown = params?.['_meta']?.[`${PREFIX}protocolVersion`]
  if (typeof version !== 'string') return {}
  const name: unknown = params?.['name']
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': headerValueOf(name) } : {}),
  }
}

/** The answer to `initialize` that stands for the answer to `server/discover`. Undefined if the revision is not in it. */
export function initializeResultOf(
  initialize: JSONRPCRequest,
  discovered: Readonly<Record<string, unknown>>,
): JSONRPCMessage | undefined {
  const { supportedVersions, capabilities, _meta: meta } = discovered
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(REVISION)) return undefined
  const own = (meta as Record<string, unknown> | undefined)?.[`${PREFIX}serverInfo`]
  return {
    jsonrpc: '2.0',
    id: initialize.id,
    result: {
      protocolVersion: initialize.params?.['protocolVersion'],
      capabilities: capabilities ?? {},
      serverInfo: own ?? { name: 'unknown', version: '0' },
    },
  }
}

/** Header values are printable ASCII; others are encoded. */
function headerValueOf(value: string): string {
  if (/^[!-~]([ -~]*[!-~])?$/.test(value) && !value.startsWith('=?')) return value
  return `=?base64?${Buffer.from(value).toString('base64')}?=`
}
