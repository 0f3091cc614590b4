import { noop, systemClock } from '../../src/scope/index.ts'
import { SimRandom, drain, type Violation } from '../../src/testing/index.ts'
import { formatSession } from '../../src/session/index.ts'
import { HealthyPage } from './healthy-page.ts'
import type { Kind } from './hostile-life.ts'
import { rudePeers } from './rude-peers.ts'
import { CLOSE_TIMEOUT, SocketHost } from './socket-host.ts'

/** How long the healthy call waits for anything, in milliseconds. It takes a few; only a host that is stuck takes this long. */
const PATIENCE = 10_000

/** How much later than its limit a close may end on a busy machine. */
const SLACK = 2_000

/** Turns of the healthy call, at least and at most. */
const TURNS = [3, 40] as const

/**
 * One life over real sockets, in real time: carriers and clients misbehave against a host, beside a page with manners that
 * must not notice. The seed decides what each of them does; how it all interleaves is up to the machine.
 */
export async function hostileSockets(seed: number): Promise<{ violations: Violation[]; story: string }> {
  const violations: Violation[] = []
  const story: string[] = []
  const violate = (rule: Kind, what: string): void => void violations.push({ rule, what })
  const crashed = (error: unknown): void =>
    violate('crashes', error instanceof Error ? error.stack! : String(error))
  process.on('uncaughtException', crashed)
  process.on('unhandledRejection', crashed)
  try {
    await live(new SimRandom(seed), (text) => story.push(text), violate)
  } catch (error) {
    crashed(error)
  }
  process.off('uncaughtException', crashed)
  process.off('unhandledRejection', crashed)
  return { violations, story: story.join('\n') }
}

async function live(
  random: SimRandom,
  tell: (text: string) => void,
  violate: (rule: Kind, what: string) => void,
): Promise<void> {
  const host = await SocketHost.listen()
  const { url, port } = host
  const page = new HealthyPage(`${url.replace('http', 'ws')}/call`)
  if (!(await within(page.until(() => page.call !== ''))))
    violate('silent', 'the healthy call was not answered')
  const rudeness = { busy: true }
  const rude = Array.from({ length: random.int(1, 3) }, (_, index) => {
    const kind = random.pick(Object.keys(rudePeers))
    const name = `${kind} ${index + 1}`
    tell(`${name} arrives`)
    const own = new SimRandom(random.int(0, 2 ** 31))
    return rudePeers[kind]!({ random: own, url, port, tell: (text) => tell(`${name}: ${text}`) })
  })
  const leaving = Promise.all(rude).finally(() => (rudeness.busy = false))
  const [least, most] = TURNS
  for (let turn = 1; turn <= most && (rudeness.busy || turn <= least) && !page.ended; turn++) {
    const { played } = page
    page.types('How are you?')
    if (await within(page.until(() => page.played > played || page.ended))) continue
    violate('freezes', `the healthy call got no answer in turn ${turn}`)
    break
  }
  const leave = await leaving
  if (page.ended) violate('silent', `the healthy call was ended: ${page.bye}`)
  page.hangsUp()
  if (!(await within(page.until(() => page.ended)))) violate('silent', 'the healthy call did not end')
  const healthy = host.calls.find(({ id }) => id === page.call)
  if (healthy && !(await within(healthy.session.closed))) violate('silent', 'the healthy call has no report')
  const report = healthy?.reports[0]
  if (report?.reason !== 'caller-hung-up' || !report.clean)
    violate(
      'untrue',
      `the healthy call did not end well: ${report ? formatSession(report) : 'it has no report'}`,
    )

  // The rude peers are still there: the host has to end them.
  const { took } = await host.close()
  if (took > CLOSE_TIMEOUT + SLACK) violate('freezes', `the host took ${took} ms to close`)
  const closed = Promise.all(host.calls.map(({ session }) => session.closed))
  if (!(await within(closed))) violate('silent', 'a session has no report although its host has closed')
  for (const { id, reports } of host.calls) judge(id, reports, violate)
  // Node reports the end of a socket that was destroyed a moment later.
  for (let turns = 0; turns < 100 && host.connections > 0; turns++) await drain()
  if (host.connections > 0) violate('untrue', `${host.connections} connections are left`)
  page.abort()
  await Promise.all(leave.map((each) => each()))
}

/** Checks the reports of a call, whoever the caller was. */
function judge(
  id: string,
  reports: SocketHost['calls'][number]['reports'],
  violate: (rule: Kind, what: string) => void,
): void {
  const [report] = reports
  if (!report || reports.length > 1) return violate('untrue', `call ${id} has ${reports.length} reports`)
  const { clean, errorCount, took, closeTimeout, scope } = report
  if (took > closeTimeout + SLACK) violate('freezes', `call ${id} took ${took} ms to close`)
  if (clean && (errorCount > 0 || !scope.clean)) violate('untrue', `call ${id} is clean despite its errors`)
  return undefined
}

/** Resolves to whether a promise settles in time. */
function within(promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = systemClock.after(PATIENCE, 'the patience of a healthy call', () => resolve(false))
    promise.catch(noop).then(() => {
      timer.clear()
      resolve(true)
    }, noop)
  })
}
