import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { noop } from '../../src/scope/index.ts'
import type { Column, Run } from './case.ts'
import { FarSide } from './far-side.ts'
import type { Framework } from './frameworks.ts'
import type { Assignment, FromChild, CaseInfo, ToChild } from './messages.ts'

/** A close that has not settled after this long hangs. */
export const PATIENCE = 10_000

/** How long it may take to prepare a session: frameworks load slowly on a busy machine. */
const PREPARE_TIMEOUT = 180_000

const program = fileURLToPath(new URL('child.ts', import.meta.url))
const tsconfig = fileURLToPath(new URL('tsconfig.json', import.meta.url))

/** Lists the cases of a framework, in a process that loads the framework. */
export function listCases(framework: Framework): Promise<readonly CaseInfo[]> {
  const { child, output } = start({ framework: framework.name })
  return new Promise((resolve, reject) => {
    child.on('message', (message: FromChild) => {
      if (message.type !== 'cases') return
      resolve(message.cases)
      child.kill('SIGKILL')
    })
    child.on('exit', (code) =>
      reject(new Error(`the cases of ${framework.name} cannot be listed: exit code ${code}\n${output()}`)),
    )
  })
}

/** Runs a case once, in its own process. Rejects if the harness fails. */
export async function runCase(framework: Framework, one: CaseInfo, column: Column): Promise<Run> {
  const vendor = framework.vendors[one.vendor ?? 'by url']
  if (!vendor) throw new Error(`there is no vendor '${one.vendor}'`)
  const far = await FarSide.listen(vendor())
  const process = start({ framework: framework.name, one: { name: one.name, column, url: far.url } })
  try {
    return await watch(process, far, column)
  } finally {
    process.child.kill('SIGKILL')
    await far.close()
  }
}

interface Started {
  readonly child: ChildProcess
  readonly output: () => string
}

function start(assignment: Assignment): Started {
  const child = fork(program, [JSON.stringify(assignment)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, TSX_TSCONFIG_PATH: tsconfig, NODE_ENV: 'production', LOG_LEVEL: 'silent' },
  })
  let text = ''
  const keep = (data: Buffer): void => {
    text = (text + data.toString()).slice(-4_000)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  return { child, output: () => text }
}

/** Watches one run from its start to the end of its process. */
async function watch({ child, output }: Started, far: FarSide, column: Column): Promise<Run> {
  let events = 0
  let asked: number | undefined
  let settled: Extract<FromChild, { type: 'settled' }> | undefined
  let exitedAt: number | undefined
  let idle: number | undefined
  const reply = (message: ToChild): void => {
    if (child.connected) child.send(message, () => {})
  }
  const exit = new Promise<void>((resolve) => {
    child.once('exit', () => {
      exitedAt = performance.now()
      resolve()
    })
  })
  const closeBegun = new Signal()
  const closeSettled = new Signal()
  child.on('message', (message: FromChild) => {
    switch (message.type) {
      case 'far':
        far.carryOut(message.order)
        return reply({ type: 'done', id: message.id })
      case 'seen':
        far.seen(message.what).then(() => reply({ type: 'done', id: message.id }), noop)
        return
      case 'event':
        events++
        return
      case 'idle':
        idle = settled && message.after
        return
      case 'asked':
        asked = far.total
        return closeBegun.resolve()
      case 'settled':
        settled = message
        return closeSettled.resolve()
      case 'cases':
    }
  })

  await within(PREPARE_TIMEOUT, [closeBegun.promise, exit])
  if (asked === undefined) throw new Error(`the session was never closed: ${lastLines(output())}`)
  const askedAt = performance.now()
  await within(PATIENCE, [closeSettled.promise, exit])
  const endedAt = performance.now()
  const totalAtEnd = far.total
  await within(1_000, [exit])
  if (exitedAt !== undefined) await within(500, [far.idle()])
  const after1s = far.open
  reply({ type: 'released' })
  await within(endedAt + 6_000 - performance.now(), [exit])
  if (exitedAt !== undefined) await within(500, [far.idle()])
  const by = exitedAt === undefined ? 'force' : child.exitCode === 0 ? 'itself' : 'crash'
  const says = by === 'crash' ? lastLines(output()) : settled?.says
  return {
    column,
    settled: settled?.how ?? (by === 'crash' ? 'crashed' : 'hung'),
    took: Math.round(settled?.took ?? endedAt - askedAt),
    events,
    left: { after1s, after6s: far.open },
    opened: { afterAsk: far.total - asked, afterEnd: far.total - totalAtEnd },
    goesOn: settled?.goesOn ?? false,
    exit: { by, after: Math.round(idle ?? (exitedAt ?? performance.now()) - endedAt) },
    ...(says === undefined ? {} : { says }),
  }
}

/** A promise with its resolve function. */
class Signal {
  resolve: () => void = noop
  readonly promise = new Promise<void>((resolve) => {
    this.resolve = resolve
  })
}

/** Resolves to whether one of the promises settles within `ms` milliseconds. */
function within(ms: number, promises: readonly Promise<unknown>[]): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), Math.max(0, ms))
    for (const promise of promises)
      promise
        .finally(() => {
          clearTimeout(timer)
          resolve(true)
        })
        .catch(noop)
  })
}

const lastLines = (text: string): string => text.trim().split('\n').slice(-12).join('\n')
