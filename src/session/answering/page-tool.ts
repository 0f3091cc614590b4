import type { SessionContext } from '../context.ts'
import { ToolError } from '../errors.ts'
import type { StandardSchema } from './schema.ts'
import { tool, type Tool, type ToolCall, type ToolContext, type ToolOptions } from './tool.ts'

/** What every tool receives. Not public, because a page would run a tool twice that it also sees as an ordinary one. */
export interface PageToolContext extends ToolContext {
  readonly runInPage: (input: unknown) => Promise<unknown>
}

/**
 * Defines a tool that runs in the caller's program: a page that shows a map, an app that knows where the caller is. The line must
 * be able to ask for it, as those for RTVI clients can.
 *
 * ```ts
 * const showMap = pageTool({ description: 'Show a place on the map', input: z.object({ place: z.string() }) })
 * ```
 */
export function pageTool<Schema extends StandardSchema | undefined = undefined>(
  options: Omit<ToolOptions<Schema>, 'run'>,
): Tool {
  const run: Tool['run'] = (input, context) => (context as PageToolContext).runInPage(input)
  return { ...tool<Schema>({ ...options, run }), inPage: true }
}

/** Has the caller's program run a tool. Rejects if the line has no such program. */
export async function runInPage(
  { line, settings }: SessionContext,
  { id, name }: ToolCall,
  input: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (line?.runTool) return await line.runTool({ id, name, input }, signal)
  throw new ToolError(
    'TOOL_UNSUPPORTED',
    `'${name}' runs in the caller's program, and the line '${settings.line.name}' has none`,
  )
}
