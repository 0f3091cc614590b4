import type { IncomingMessage, ServerResponse } from 'node:http'

interface Rpc {
  readonly id?: number
  readonly method?: string
}

/** The least of an MCP server over HTTP: one tool, which never comes to its end. */
export class ToolHost {
  /** It answers nothing any more. */
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
    const result = message.method === 'initialize' ? welcome : { tools: [tool] }
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
  }
}

const welcome = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'tools', version: '1' },
}
const tool = { name: 'wait', description: 'Waits', inputSchema: { type: 'object', properties: {} } }
