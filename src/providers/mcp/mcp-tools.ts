import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js'

import type { PartContext } from '../../parts/index.ts'
import { LimitError, OptionError } from '../../scope/index.ts'
import { tool, type Tool, type Toolset } from '../../session/index.ts'
import { limits } from './limits.ts'
import { settle, type McpOptions, type McpSettings } from './options.ts'
import { loadSdk } from './sdk.ts'
import { ToolNames } from './tool-names.ts'
import { ToolServer } from './tool-server.ts'

/**
 * The tools of an MCP server, for an agent: a process that is started for it and ends with it, or a server behind an
 * address. Needs `npm install @modelcontextprotocol/sdk`.
 *
 * ```ts
 * const desk = new Agent({
 *   instructions: 'You answer the phone.',
 *   toolsets: [
 *     mcpTools({ command: 'npx', args: ['-y', 'calendar-server'], env: { CALENDAR_KEY: key } }),
 *     mcpTools({ url: 'https://crm.example.com/mcp', headers: { authorization: `Bearer ${token}` } }),
 *   ],
 * })
 * ```
 */
export function mcpTools(options: McpOptions): Toolset {
  const settings = settle(options)
  return {
    name: settings.name,
    open: async (context) => {
      const sdk = await context.scope.until(loadSdk())
      const server = new ToolServer(sdk, settings, context)
      return toolsOf(chosen(await server.open(), settings, context), settings, server)
    },
  }
}

/** The listed tools that are wanted and can be called. */
function chosen(
  listed: readonly ListedTool[],
  { name, only }: McpSettings,
  { logger }: PartContext,
): readonly ListedTool[] {
  const missing = only?.filter((wanted) => !listed.some((each) => each.name === wanted)) ?? []
  if (missing.length > 0) {
    const known = listed.map((each) => each.name).join(', ') || 'none'
    throw new OptionError(`mcpTools: '${name}' has no tool ${missing.join(', ')}; it has: ${known}`)
  }
  const wanted = listed.filter((each) => !only || only.includes(each.name))
  const [tasks, callable] = [wanted.filter(isTask), wanted.filter((each) => !isTask(each))]
  if (tasks.length > 0)
    logger.warn(
      { toolset: name, tools: tasks.map((each) => each.name) },
      'tools of an MCP server were left out: they are long tasks, and cannot be called in a conversation',
    )
  if (callable.length <= limits.tools) return callable
  throw new LimitError(
    'tools',
    limits.tools,
    `'${name}' has ${callable.length} tools; choose some with \`only\``,
  )
}

function isTask({ execution }: ListedTool): boolean {
  return execution?.taskSupport === 'required'
}

function toolsOf(
  listed: readonly ListedTool[],
  { prefix, callOptions }: McpSettings,
  server: ToolServer,
): Readonly<Record<string, Tool>> {
  const names = new ToolNames(prefix)
  return Object.fromEntries(
    listed.map(({ name, title, description, inputSchema }) => [
      names.take(name),
      tool({
        ...callOptions(name),
        description: description ?? title ?? name,
        parameters: inputSchema,
        run: (input, context) => server.call(name, input, context),
      }),
    ]),
  )
}
