import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js'

import type { PartContext } from '../../parts/index.ts'
import { LimitError, OptionError } from '../../scope/index.ts'
import { tool, type Tool, type Toolset } from '../../session/index.ts'
import { limits } from './limits.ts'
import { resolveOptions, type McpOptions, type McpSettings } from './options.ts'
import { loadSdk, requireSdk } from './sdk.ts'
import { ToolNames } from './tool-names.ts'
import { ToolServer } from './tool-server.ts'

/**
 * A toolset with the tools of an MCP server: either a process, which starts and ends with the agent's toolset, or a
 * server at a URL. Needs `npm install @modelcontextprotocol/sdk`.
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
  const settings = resolveOptions(options)
  // Not only in `open`: a missing package must be reported when the program starts, not in the first call (HO11).
  requireSdk()
  return {
    name: settings.name,
    open: async (context) => {
      const sdk = await context.scope.until(loadSdk())
      const server = new ToolServer(sdk, settings, context)
      return toolsOf(choose(await server.open(), settings, context), settings, server)
    },
  }
}

/** The listed tools that `only` allows and that can be called in a conversation. */
function choose(
  listed: readonly ListedTool[],
  { name, only }: McpSettings,
  { logger }: PartContext,
): readonly ListedTool[] {
  const missing = only?.filter((wanted) => !listed.some((each) => each.name === wanted)) ?? []
  if (missing.length > 0) {
    const known = listed.map((each) => each.name).join(', ') || 'none'
    throw new OptionError(
      `mcpTools: option only: '${name}' has no tool ${missing.join(', ')}. Its tools: ${known}`,
    )
  }
  const wanted = listed.filter((each) => !only || only.includes(each.name))
  const [tasks, callable] = [wanted.filter(isTask), wanted.filter((each) => !isTask(each))]
  if (tasks.length > 0)
    logger.warn(
      { toolset: name, tools: tasks.map((each) => each.name) },
      'some tools of an MCP server were left out: they are long-running tasks, which a conversation cannot call',
    )
  if (callable.length <= limits.tools) return callable
  throw new LimitError(
    'tools',
    limits.tools,
    `'${name}' has ${callable.length} tools. Choose some with the option \`only\``,
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
