import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

// An MCP server with one tool, over stdio.
const server = new McpServer({ name: 'calendar', version: '1.0.0' })
server.registerTool(
  'find-slot',
  { description: 'Find a free appointment', inputSchema: { day: z.string() } },
  ({ day }) => ({ content: [{ type: 'text', text: `${day} at ten is free` }] }),
)
await server.connect(new StdioServerTransport())
