import { writeSync } from 'node:fs'
import { Session, type Debugger } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../scope/index.ts'
import { BlockWatch } from './block-watch.ts'
import { culpritOf, framesOf, printFrames, type RawFrame } from './frames.ts'
import { limits } from './limits.ts'
import { WATCHDOG_FD, type Block, type WatchdogMessage } from './messages.ts'
import { CallNote } from './native-calls.ts'
import { ownState, threadState } from './process-state.ts'
import { ABOUT_TO_CUT, type WatchdogData } from './watchdog-data.ts'

// The watchdog: a thread beside the main thread of a worker. It looks at a counter that the event loop raises, names and cuts
// whatever blocks the loop, and reports to the supervisor through a pipe of its own, which works while the loop is blocked.

const { shared, cut, own, closeTimeout } = workerData as WatchdogData
const counts = new Int32Array(shared, 0, 2)
const note = new CallNote(shared, 8)
const watch = new BlockWatch()

let looks = 0
let turns = Atomics.load(counts, 0)
/** The block in progress. */
let block: { attempt: Attempt | undefined; reported: boolean; readonly since: number } | undefined
let supervisorLostAt: number | undefined

/** One attempt to name the culprit, and to cut it. */
class Attempt {
  readonly #session = new Session()
  readonly #urls = new Map<string, string>()
  readonly #turns = turns
  readonly #proof = proof()
  ended = false
  /** Where the main thread was paused. Empty if it was not, or if that was after the block. */
  frames: readonly RawFrame[] = []

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
    // Native code delays the pause until it returns. Then the block may be over, and what runs now may be something else.
    const prompt = proof() - this.#proof <= limits.prompt
    if (!turned) this.frames = callFrames.map((frame) => this.#rawFrame(frame))
    const cuts = cut && prompt && !turned
    if (cuts) {
      this.#session.post('Runtime.evaluate', { expression: `process[Symbol.for('${ABOUT_TO_CUT}')]?.()` })
      this.#session.post('Runtime.terminateExecution')
    }
    this.#session.post('Debugger.resume', () => this.#session.disconnect())
    if (cuts) report('cut', this.frames)
    else if (!cut && !turned) report('named', this.frames)
  }

  /** Whether the main thread has not had the time yet to pause. */
  get mayCut(): boolean {
    return !this.ended && proof() - this.#proof <= 2 * limits.prompt
  }

  #rawFrame({ functionName, location }: Debugger.CallFrame): RawFrame {
    const { scriptId, lineNumber, columnNumber = 0 } = location
    const url = this.#urls.get(scriptId) ?? ''
    return { name: functionName, url, line: lineNumber + 1, column: columnNumber + 1 }
  }

  abandon(): void {
    if (this.ended) return
    this.ended = true
    this.#session.disconnect()
  }
}

/** For how long the main thread has computed or waited without a turn of its loop. */
function proof(): number {
  return watch.proof(threadState(process.pid))
}

function look(before: number): void {
  const now = systemClock.now()
  const current = Atomics.load(counts, 0)
  const turned = current !== turns
  turns = current
  // A debugger that stops the main thread is no block.
  const debugged = Atomics.load(counts, 1) === 1
  const state = threadState(process.pid)
  const verdict = watch.look({
    elapsed: now - before,
    turned: turned || debugged,
    state,
    readProcess: ownState,
  })
  if (verdict === 'turning') over()
  else {
    block ??= { attempt: undefined, reported: false, since: now }
    name(block)
    if (verdict === 'stuck' && cut && !block.attempt?.mayCut) stuck(now, block.since)
  }
  if (looks++ % 2 === 0)
    send({ type: 'beat', stuck: Math.round(watch.counted), rss: process.memoryUsage.rss() })
  const alone = supervisorLostAt !== undefined && now - supervisorLostAt > closeTimeout + 2 * limits.exit
  if (alone) killAll()
  systemClock.after(limits.look, 'look at the main thread', () => look(now))
}

/** The loop turns. A block that ended by itself is reported, if its culprit is known. */
function over(): void {
  if (!block) return
  const { attempt, reported } = block
  attempt?.abandon()
  if (!reported && attempt && attempt.frames.length > 0) report('named', attempt.frames)
  block = undefined
}

function name(current: NonNullable<typeof block>): void {
  if (current.reported || (current.attempt && !current.attempt.ended)) return
  try {
    current.attempt = new Attempt()
  } catch {
    // A Node without an inspector can name nothing.
  }
}

/** The supervisor kills the process. If it does not, because it has ended or is busy, the watchdog does. */
function stuck(now: number, since: number): void {
  if (block && !block.reported) report('stuck', framesOf(note.text))
  if (supervisorLostAt !== undefined || now - since > limits.stuck + limits.kill) killAll()
}

/** Kills this process, and those that it has started: a worker has a process group of its own. */
function killAll(): void {
  try {
    process.kill(-process.pid, 'SIGKILL')
  } catch {
    process.kill(process.pid, 'SIGKILL')
  }
}

function report(how: Block['how'], frames: readonly RawFrame[]): void {
  if (block) block.reported = true
  const culprit = culpritOf(frames, own)
  const ms = Math.round(watch.counted)
  const found: Block = { ms, how, stack: printFrames(frames), ...(culprit ? { culprit } : {}) }
  send({ type: 'blocked', ...found })
  parentPort?.postMessage(found, [])
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
parentPort?.postMessage('watching', [])
