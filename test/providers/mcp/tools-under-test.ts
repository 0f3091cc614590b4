import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializedNotificationSchema,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'

/** Reports an event of the server to the test. */
export type Report = (event: string) => void

const schema: Tool['inputSchema'] = {
  type: 'object',
  properties: { text: { type: 'string', description: 'What to say', minLength: 1 } },
  required: ['text'],
  additionalProperties: false,
}

const named = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
})

const tools: readonly Tool[] = [
  { name: 'echo', description: 'Say it again', inputSchema: schema },
  named('add', { title: 'Adds up' }),
  named('fail'),
  named('refuse'),
  named('wait'),
  named('steps'),
  named('flood'),
  named('blocks'),
  named('die'),
  named('change'),
  named('breaks'),
  named('gated'),
  named('environment'),
  named('calendar.find/slot'),
  named('calendar find slot'),
  named('2nd'),
  named('long-task', { execution: { taskSupport: 'required' } }),
]

const PAGE = 6
const text = (content: string): CallToolResult => ({ content: [{ type: 'text', text: content }] })

export interface Manners {
  /** Never lists its tools. */
  readonly hangsInList?: boolean
  /** Always has another page of tools. */
  readonly endless?: boolean
  readonly die?: () => void
  /** The promise that the tool `gated` waits for. */
  readonly gate?: Promise<void>
}

/** A server made with the SDK, with a tool for every behaviour to test. */
export function serverUnderTest(report: Report, { hangsInList, endless, die, gate }: Manners = {}): Server {
  const server = new Server(
    { name: 'under-test', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )
  server.setNotificationHandler(InitializedNotificationSchema, () => {
    const { name, version } = server.getClientVersion() ?? {}
    report(`ready for ${name} ${version}`)
  })
  server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
    const from = Number(params?.cursor ?? 0)
    report(`list ${from}`)
    if (hangsInList) await new Promise(() => {})
    if (endless) return { tools: [], nextCursor: `${from + 1}` }
    const rest = from + PAGE < tools.length ? { nextCursor: `${from + PAGE}` } : {}
    return { tools: tools.slice(from, from + PAGE), ...rest }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: input = {} } = params
    const { _meta: { progressToken = 0 } = {} } = extra
    const progress = (done: number, more: object): Promise<void> =>
      extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: done, ...more },
      })
    report(`call ${name}`)
    switch (name) {
      case 'echo':
        return text(String(input['text']))
      case 'add':
        return { content: [], structuredContent: { sum: Number(input['a']) + Number(input['b']) } }
      case 'fail':
        return { ...text('there is no such customer'), isError: true }
      case 'refuse':
        throw new McpError(ErrorCode.InvalidParams, 'not with these')
      case 'wait':
        await new Promise<void>((resolve) => {
          extra.signal.addEventListener('abort', () => resolve(), { once: true })
        })
        report('cancelled wait')
        return text('too late')
      case 'steps':
        await progress(1, { total: 3 })
        await progress(2, { message: 'nearly there' })
        await progress(3, {})
        return text('there')
      case 'flood':
        for (let done = 0; done < 1_500; done++) await progress(done, {})
        return text('x'.repeat(150_000))
      case 'blocks':
        return {
          content: [
            { type: 'text', text: 'one' },
            { type: 'image', data: 'aGk=', mimeType: 'image/png' },
            { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt', description: 'A file' },
            { type: 'resource', resource: { uri: 'file:///b.txt', text: 'two' } },
            { type: 'resource', resource: { uri: 'file:///c.bin', blob: 'aGk=' } },
          ],
          structuredContent: { not: 'read' },
        }
      case 'die':
        die?.()
        return new Promise<never>(() => {})
      case 'change':
        await extra.sendNotification({ method: 'notifications/tools/list_changed' })
        await extra.sendNotification({ method: 'notifications/tools/list_changed' })
        return text('changed')
      case 'breaks':
        extra.closeSSEStream?.()
        return text('after the break')
      case 'gated':
        await gate
        return text('through the gate')
      case 'environment':
        return text(Object.keys(process.env).toSorted().join(' '))
      default:
        return text(`called ${name}`)
    }
  })
  return server
}
