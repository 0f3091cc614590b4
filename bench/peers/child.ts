import type { Call, Case, Stage } from './case.ts'
import type { Assignment, FromChild, ToChild } from './messages.ts'

/**
 * One run in a process of its own: prepares the session, asks for its close, tells its parent what became of it.
 *
 * The parent keeps the process until it has looked once, as a server would; then it may end by itself.
 */
const { framework, one } = JSON.parse(process.argv[2]!) as Assignment
const waiting = new Map<number, () => void>()
let lastId = 0

process.on('message', (message: ToChild) => {
  if (message.type === 'done') waiting.get(message.id)?.()
  else process.channel?.unref()
})

// Nothing keeps the process any more. How long it takes to end from here is a matter of the machine.
let endedAt = 0
process.once('beforeExit', () => tell({ type: 'idle', after: performance.now() - endedAt }))

function tell(message: FromChild): void {
  if (process.connected) process.send!(message)
}

/** The cases as the parent knows them: without the functions. */
async function load(): Promise<readonly Case[]> {
  const folder: { cases: readonly Case[] } = await import(`./${framework}/cases.ts`)
  return folder.cases
}

/** Waits for the parent's word. */
function whenDone(send: (id: number) => void): Promise<void> {
  const id = ++lastId
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    send(id)
  })
}

async function run({ name, column, url }: NonNullable<Assignment['one']>): Promise<void> {
  // Before the framework, as its users do.
  if (column === 'guarded') await import('../../src/guard/install.ts')
  const found = (await load()).find((each) => each.name === name)
  if (!found) throw new Error(`there is no case '${name}'`)
  const stage: Stage = {
    column,
    ws: url,
    http: url.replace('ws:', 'http:'),
    seen: (what) => whenDone((id) => tell({ type: 'seen', id, what })),
    far: (order) => whenDone((id) => tell({ type: 'far', id, order })),
  }
  const call = await (column === 'ours' ? found.ours(stage) : found.theirs(stage))
  call.onClosed(() => tell({ type: 'event' }))
  await end(call)
}

async function end(call: Call): Promise<void> {
  tell({ type: 'asked' })
  const began = performance.now()
  const settled = (how: 'resolved' | 'rejected', says?: string): void => {
    endedAt = performance.now()
    tell({
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
  const cases = (await load()).map(({ theirs: _theirs, ours: _ours, ...listed }) => listed)
  tell({ type: 'cases', cases })
  process.disconnect?.()
}

// Not awaited at the top: a close that hangs would make Node exit with a code of its own.
const life = one ? run(one) : list()
life.catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
