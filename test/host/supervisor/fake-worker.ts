import { createServer, type AddressInfo, type Socket } from 'node:net'
import { Watchdog } from '../../../src/host/supervisor/watchdog.ts'
import { systemClock } from '../../../src/scope/index.ts'
import { WorkerLink } from '../../../src/host/supervisor/worker-link.ts'

// A worker whose calls are numbers, for tests of the supervisor. A test sends it commands, one per line, over a connection
// to its own address, or to the public port. It answers each with a line.

interface Behaviour {
  /** `die`: exits before it is ready. `hang`: never becomes ready. */
  readonly start?: 'die' | 'hang'
  /** The module with functions that block. */
  readonly blocks?: string
}

const behaviour = JSON.parse(process.env['FAKE_WORKER'] ?? '{}') as Behaviour
const found = WorkerLink.open()
if (!found) throw new Error('started without a supervisor')
const link = found
let calls = 0
let draining = false
/** Never exits when it is asked to. */
let deaf = false
const hoard: Buffer[] = []

function setCalls(count: number): void {
  calls = count
  link.calls(count)
  if (draining && calls === 0 && !deaf) link.exit({ clean: true, written: true })
}

async function command(line: string): Promise<string> {
  const [verb = '', argument = ''] = line.split(' ')
  switch (verb) {
    case 'who':
      return link.identity.name
    case 'begin':
      setCalls(calls + 1)
      return String(calls)
    case 'end':
      setCalls(calls - 1)
      return String(calls)
    case 'request':
      return JSON.stringify(await link.request(argument).catch((error: unknown) => String(error)))
    case 'misbehave':
      process.send?.({ type: 'ready', address: 7 })
      return 'sent'
    case 'hoard':
      hoard.push(Buffer.alloc(Number(argument) * 2 ** 20, 1))
      return String(hoard.length)
    case 'deaf':
      deaf = true
      return verb
    case 'compute':
      compute(Number(argument))
      return 'computed'
    case 'block':
      await block(argument)
      return 'blocks'
    default:
      return 'unknown'
  }
}

/** Computes for this many milliseconds of CPU time. */
function compute(ms: number): void {
  const begin = process.cpuUsage()
  const used = (): number => {
    const { user, system } = process.cpuUsage(begin)
    return user + system
  }
  while (used() < 1_000 * ms);
}

/** Blocks in a timer's own callback: a cut is harder to survive there than in a promise's. */
async function block(kind: string): Promise<void> {
  const module = (await import(behaviour.blocks ?? '')) as Record<string, () => unknown>
  systemClock.after(1, `block: ${kind}`, () => module[kind]?.())
}

/** Hear a last word when the worker closes. */
const followers = new Set<Socket>()

function serve(socket: Socket): void {
  socket.setEncoding('utf8')
  socket.on('error', () => {})
  socket.on('data', (text: string) => {
    if (text === 'follow\n') followers.add(socket)
    else
      for (const line of text.trim().split('\n'))
        command(line).then(
          (answer) => socket.write(`${answer}\n`),
          (error: unknown) => socket.write(`${String(error)}\n`),
        )
  })
}

link.onDrain(() => {
  console.log(`${link.identity.name} drains`)
  draining = true
  setCalls(calls)
})
link.onClose(({ cause }) => {
  // Not console.log, which ignores that nothing reads it.
  process.stdout.write(`${link.identity.name} closes: ${cause}\n`)
  draining = true
  if (followers.size === 0) setCalls(0)
  else systemClock.after(50, 'the last word', () => sayLastWord(cause))
})

function sayLastWord(cause: string): void {
  for (const socket of followers) socket.end(`closed: ${cause}\n`)
  setCalls(0)
}

link.onConnection(serve)
link.onMetrics(() => ({ calls }))
link.onOrder(({ call, order }) => console.log(`${link.identity.name} was ordered to ${order} ${call}`))

if (behaviour.start === 'die') process.exit(7)
if (behaviour.start !== 'hang') {
  const server = createServer(serve)
  server.listen(0, '127.0.0.1')
  await Watchdog.start({
    closeTimeout: link.identity.closeTimeout,
    onBlocked: ({ how, culprit }) => console.log(`blocked: ${how} ${culprit?.function}`),
  })
  link.ready(`127.0.0.1:${(server.address() as AddressInfo).port}`)
}
