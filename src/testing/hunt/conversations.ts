import { EndwellError, describeError } from '../../scope/index.ts'
import { SessionClosedError } from '../../session/index.ts'
import type { CallRecord } from './call-record.ts'
import { conversationOf, type Conversation } from './conversation.ts'
import type { HuntWorld } from './hunt-world.ts'
import { HuntedCall } from './hunted-call.ts'
import { limits } from './limits.ts'

/** A hunt cannot be done. */
export class HuntError extends EndwellError {
  constructor(message: string, options?: ErrorOptions) {
    super('HUNT', message, options)
  }
}

/**
 * Finds the conversations to have with an agent, by having them: one without tools, one for every tool of every agent that can be
 * reached, and spoken ones. Returns the record of a healthy call for each.
 */
export async function findConversations(
  world: HuntWorld,
  onCall: (played: number) => void,
): Promise<CallRecord[]> {
  const found: CallRecord[] = []
  let played = 0
  const play = (conversation: Conversation): Promise<CallRecord> => {
    onCall(played++)
    return healthyCall(world, conversation)
  }
  const directions =
    typeof world.file.agent === 'function' ? (['inbound', 'outbound'] as const) : (['inbound'] as const)
  const first: string[] = []
  for (const direction of directions) {
    const greeting = await play(conversationOf([], direction))
    // The same agent answers and calls: there is nothing new to find.
    const key = `${greeting.agent} ${greeting.tools.join()}`
    if (first.includes(key)) continue
    first.push(key)
    found.push(greeting, ...(await pathsFrom(play, greeting, direction)))
  }
  const [greeting] = found
  if (greeting && !world.isRealtime)
    found.push(await play(conversationOf(greeting.tools.slice(0, 2), 'inbound', true)))
  return found
}

async function pathsFrom(
  play: (conversation: Conversation) => Promise<CallRecord>,
  greeting: CallRecord,
  direction: Conversation['direction'],
): Promise<CallRecord[]> {
  const found: CallRecord[] = []
  const seen = new Set<string>()
  const queue = [greeting]
  for (let from = queue.shift(); from !== undefined; from = queue.shift()) {
    const { path } = from.case.conversation
    for (const tool of from.tools) {
      const key = `${from.agent}: ${tool}`
      if (seen.has(key) || found.length >= limits.conversations) continue
      seen.add(key)
      const record = await play(conversationOf([...path, tool], direction))
      found.push(record)
      const isElsewhere = record.agent !== from.agent || record.tools.join() !== from.tools.join()
      if (isElsewhere && path.length + 1 < limits.path) queue.push(record)
    }
  }
  return found
}

async function healthyCall(world: HuntWorld, conversation: Conversation): Promise<CallRecord> {
  const record = await new HuntedCall({ number: 0, conversation, act: 'finishes' }, world).play()
  const { startError } = record
  // A session that the agent closes while it starts has started well enough.
  if (startError !== undefined && !(startError instanceof SessionClosedError))
    throw new HuntError(`the agent cannot take a call: ${describeError(startError).message}`, {
      cause: startError,
    })
  return record
}
