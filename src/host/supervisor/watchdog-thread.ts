import { writeSync } from 'node:fs'
import { Session, type Debugger } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../scope/index.ts'
import { BlockWatch } from './block-watch.ts'
import { culpritOf, framesOf, printFrames, type RawFrame } from './frames.ts'
import { limits } from './limits.ts'
import { WATCHDOG_FD, type Block, type WatchdogMessage } from './messages.ts'
import { CallNote } from './native-calls.ts'
import { threadState } from './process-state.ts'
import { ABOUT_TO_CUT, type WatchdogData } from './watchdog-data.ts'

// The watchdog: a thread beside the main thread of a worker. It looks at a counter that the event loop raises, names and cuts
// whatever blocks the loop, and reports to the supervisor through a pipe of its own, which works while the loop is blocked.

const { shared, cut, own, closeTimeout } = workerData as WatchdogData
const counts = new Int32Array(shared, 0, 2)
const note = new CallNote(shared, 8)
const watch = new BlockWatch()
/** A pause that comes later than this was requested during native code, which has ended: there is nothing to cut. */
const PROMPT = 250

let looks = 0
let turns = Atomics.load(counts, 0)
let attempt: Attempt | undefined
let stuckSince: number | undefined
let supervisorLostAt: number | undefined

/** One attempt to name the culprit, and to cut it. */
class Attempt {
  readonly #session = new Session()
  readonly #urls = new Map<string, string>()
  readonly #turns = turns
  readonly #began = systemClock.now()
  ended = false

  constructor() {
    const session = this.#session
    session.connectToMainThread()
    session.on('Debugger.scriptParsed', ({ params }) => this.#urls.set(params.scriptId, params.url))
    session.on('Debugger.paused', ({ params }) => this.#paused(params.callFrames))
    session.post('Debugger.enable')
    session.post('Debugger.pause')
  }

  #paused(callFrames: readonly Debugger.CallFrame[]): void {
    if (this.ended) return
    this.ended = true
    const turned = Atomics.load(counts, 0) !== this.#turns
    const prompt = systemClock.now() - this.#began <= PROMPT
    // After a turn, whatever runs now is not the culprit.
    const frames = turned ? [] : callFrames.map((frame) => this.#rawFrame(frame))
    const cuts = cut && prompt && !turned
    if (cuts) {
      this.#session.post('Runtime.evaluate', { expression: `globalThis[Symbol.for('${ABOUT_TO_CUT}')]?.()` })
      this.#session.post('Runtime.terminateExecution')
    }
    this.#session.post('Debugger.resume', () => this.#session.disconnect())
    if (!turned) report({ how: cuts ? 'cut' : 'named', ...this.#ask(frames) })
  }

  #ask(frames: readonly RawFrame[]): Pick<Block, 'ms' | 'stack' | 'culprit'> {
    return { ms: Math.round(watch.counted), ...describe(frames) }
  }

  #rawFrame({ functionName, location }: Debugger.CallFrame): RawFrame {
    const { scriptId, lineNumber, columnNumber = 0 } = location
    const url = this.#urls.get(scriptId) ?? ''
    return { name: functionName, url, line: lineNumber + 1, column: columnNumber + 1 }
  }

  abandon(): void {
    this.ended = true
    this.#session.disconnect()
  }
}

function describe(frames: readonly RawFrame[]): Pick<Block, 'stack' | 'culprit'> {
  const culprit = culpritOf(frames, own)
  return { stack: printFrames(frames), ...(culprit ? { culprit } : {}) }
}

function look(before: number): void {
  const now = systemClock.now()
  const current = Atomics.load(counts, 0)
  const turned = current !== turns
  turns = current
  // A debugger that stops the main thread is no block.
  const debugged = Atomics.load(counts, 1) === 1
  const verdict = watch.look({
    elapsed: now - before,
    turned: turned || debugged,
    state: threadState(process.pid),
  })
  if (verdict === 'turning') {
    stuckSince = undefined
    if (turned && attempt && !attempt.ended) attempt.abandon()
    attempt = undefined
  } else if (verdict === 'blocked' && (attempt === undefined || attempt.ended)) {
    attempt = tryAttempt()
  } else if (verdict === 'stuck' && cut) stuck(now)
  if (looks++ % 2 === 0)
    send({ type: 'beat', stuck: Math.round(watch.counted), rss: process.memoryUsage.rss() })
  const alone = supervisorLostAt !== undefined && now - supervisorLostAt > closeTimeout + 2 * limits.exit
  if (alone) process.kill(process.pid, 'SIGKILL')
  systemClock.after(limits.look, 'look at the main thread', () => look(now))
}

/** A Node without an inspector can name nothing. */
function tryAttempt(): Attempt | undefined {
  try {
    return new Attempt()
  } catch {
    return undefined
  }
}

/** The supervisor kills the process. If it does not, because it has ended or is busy, the watchdog does. */
function stuck(now: number): void {
  if (stuckSince === undefined) {
    stuckSince = now
    report({ how: 'stuck', ms: Math.round(watch.counted), ...describe(framesOf(note.text)) })
  }
  if (supervisorLostAt !== undefined || now - stuckSince > limits.silent) process.kill(process.pid, 'SIGKILL')
}

function report(block: Block): void {
  send({ type: 'blocked', ...block })
  parentPort?.postMessage(block, [])
}

function send(message: WatchdogMessage): void {
  if (supervisorLostAt !== undefined) return
  try {
    writeSync(WATCHDOG_FD, `${JSON.stringify(message)}\n`)
  } catch {
    supervisorLostAt = systemClock.now()
  }
}

look(systemClock.now())
