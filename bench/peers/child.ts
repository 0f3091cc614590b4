import type { Call, Case, CaseContext } from './case.ts'
import type { Assignment, FromChild, ToChild } from './messages.ts'

/**
 * One run in its own process: prepares the session, closes it, and reports the result to the parent.
 *
 * The parent keeps the process alive until it has checked once, as a server would. Then the process may exit on its own.
 */
const { framework, one } = JSON.parse(process.argv[2]!) as Assignment
const waiting = new Map<number, () => void>()
let lastId = 0

process.on('message', (message: ToChild) => {
  if (message.type === 'done') waiting.get(message.id)?.()
  else process.channel?.unref()
})

// Nothing keeps the process alive any more. How long it takes to exit from here depends on the machine.
let endedAt = 0
process.once('beforeExit', () => send({ type: 'idle', after: performance.now() - endedAt }))

function send(message: FromChild): void {
  if (process.connected) process.send!(message)
}

async function load(): Promise<readonly Case[]> {
  const folder: { cases: readonly Case[] } = await import(`./${framework}/cases.ts`)
  return folder.cases
}

/** Sends a request to the parent, and waits until the parent reports that it is done. */
function request(message: (id: number) => FromChild): Promise<void> {
  const id = ++lastId
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    send(message(id))
  })
}

async function run({ name, column, url }: NonNullable<Assignment['one']>): Promise<void> {
  // Before the framework, as users of the guard do.
  if (column === 'guarded') await import('../../src/guard/install.ts')
  const found = (await load()).find((each) => each.name === name)
  if (!found) throw new Error(`there is no case '${name}'`)
  const context: CaseContext = {
    column,
    ws: url,
    http: url.replace('ws:', 'http:'),
    seen: (what) => request((id) => ({ type: 'seen', id, what })),
    far: (order) => request((id) => ({ type: 'far', id, order })),
  }
  const call = await (column === 'ours' ? found.ours(context) : found.theirs(context))
  call.onClosed(() => send({ type: 'event' }))
  await end(call)
}

async function end(call: Call): Promise<void> {
  send({ type: 'asked' })
  const began = performance.now()
  const settled = (how: 'resolved' | 'rejected', says?: string): void => {
    endedAt = performance.now()
    send({
      type: 'settled',
      how,
      took: endedAt - began,
      goesOn: call.goesOn?.() ?? false,
      ...(says === undefined ? {} : { says }),
    })
  }
  try {
    const value = await call.close()
    settled('resolved', typeof value === 'string' ? value : undefined)
  } catch (error) {
    settled('rejected', error instanceof Error ? error.message : String(error))
  }
}

async function list(): Promise<void> {
  const cases = (await load()).map(({ theirs: _theirs, ours: _ours, ...info }) => info)
  send({ type: 'cases', cases })
  process.disconnect?.()
}

// Not awaited at the top level: with a close that hangs, Node would exit with code 13.
const running = one ? run(one) : list()
running.catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
