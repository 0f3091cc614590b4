import { expect } from 'vitest'

import { mcpTools, type McpProcessOptions, type McpToolsetError } from '../../../src/providers/mcp/index.ts'
import type { Tool } from '../../../src/session/index.ts'
import { aContext, aToolContext, Witness } from './fixture.ts'

/** Opens the toolset of a server process with these manners. */
export async function opened(manners: readonly string[] = [], options: Partial<McpProcessOptions> = {}) {
  const witness = await Witness.listen()
  const context = aContext()
  const tools = await mcpTools({ ...witness.server(...manners), ...options }).open(context)
  const call = async (name: string, input: object = {}, how = aToolContext()): Promise<unknown> =>
    (tools[name] as Tool).run(input, how)
  return { ...context, witness, events: witness.events, tools, call }
}

/** Starts to open the toolset of a server process that does not respond. */
export async function opening(...manners: readonly string[]) {
  const witness = await Witness.listen()
  const context = aContext()
  const tools = mcpTools(witness.server(...manners)).open(context)
  tools.catch(() => {})
  await witness.events.waitFor(/^(list|received input)/)
  return { ...context, witness, events: witness.events, tools }
}

/** Returns the error of opening a toolset, and checks that no process is left. */
export async function refused(manners: readonly string[], options: Partial<McpProcessOptions> = {}) {
  const witness = await Witness.listen()
  const context = aContext()
  const tools = mcpTools({ ...witness.server(...manners), ...options }).open(context)
  const error = await tools.then(
    () => undefined,
    (reason: unknown) => reason as McpToolsetError,
  )
  await context.close()
  expect(witness.alive).toEqual([])
  return { ...context, error: error!, events: witness.events }
}
