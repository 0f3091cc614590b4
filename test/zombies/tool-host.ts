import type { IncomingMessage, ServerResponse } from 'node:http'

interface Rpc {
  readonly id?: number
  readonly method?: string
}

/** A minimal MCP server over HTTP with one tool, which never returns. */
export class ToolHost {
  /** Whether requests are left unanswered. */
  hangs = false

  readonly http = (request: IncomingMessage, response: ServerResponse): void => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => (text += piece))
    request.once('end', () => {
      if (!this.hangs)
        this.#answer(request.method ?? '', (text === '' ? {} : JSON.parse(text)) as Rpc, response)
    })
  }

  #answer(method: string, message: Rpc, response: ServerResponse): void {
    if (method === 'GET') return void response.writeHead(405).end()
    if (method === 'DELETE') return void response.writeHead(200).end()
    if (message.id === undefined) return void response.writeHead(202).end()
    if (message.method === 'tools/call') return
    const result = message.method === 'initialize' ? initialised : { tools: [tool] }
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
  }
}

const initialised = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'tools', version: '1' },
}
const tool = { name: 'wait', description: 'Waits', inputSchema: { type: 'object', properties: {} } }
