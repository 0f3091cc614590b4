import { LocalVad } from '../../src/providers/local/index.ts'
import { Agent, History, Session } from '../../src/session/index.ts'
import { VirtualTime } from '../../src/testing/index.ts'
import { median } from '../median.ts'
import { cpuTime, heap } from '../sampling.ts'
import { curves, type Curve, type CurveName, type Point } from './curve.ts'
import { QuickLine, QuickLlm, closeCalls, looking, startCalls, stt, stuck, tts } from './parts.ts'

/** The units of a batch: what they took, in microseconds of CPU time, and how to let go of what they hold. */
interface Batch {
  readonly took: number
  /** The same of each unit, if units can be told apart. Then the median counts, which other load hardly changes. */
  readonly each?: readonly number[]
  readonly close?: () => Promise<void>
}

interface Work {
  /** Does a batch of units at once. */
  readonly batch: (units: number) => Promise<Batch>
}

const idle: Work = { batch: (count) => timed(() => startCalls(count), closeCalls) }

const talking: Work = {
  batch: async (count) => {
    const calls = await startCalls(count)
    const took = await cpuTime(async () => {
      for (const { line, session } of calls) {
        line.hear()
        await session.reply().waitForPlayout()
      }
    })
    return { took, close: () => closeCalls(calls) }
  },
}

const closing: Work = {
  batch: async (count) => {
    const calls = await startCalls(count)
    return { took: await cpuTime(() => closeCalls(calls)) }
  },
}

const works: Readonly<Record<CurveName, Work>> = {
  idle,
  idleCollected: idle,
  talking,
  talkingCollected: talking,
  closing,
  closingCollected: closing,
  wedged: {
    batch: async (count) => {
      const calls = await startCalls(count, { agent: stuck, tools: 1, closeTimeout: 5 })
      for (const { session } of calls) session.reply()
      await turns()
      return { took: await cpuTime(() => closeCalls(calls)) }
    },
  },
  tools: {
    batch: async (count) => {
      // A new call each time, because results stay in the history of a call.
      const calls = await startCalls(1, { agent: looking, tools: count })
      const took = await cpuTime(() => calls[0]!.session.reply().waitForPlayout())
      await closeCalls(calls)
      return { took }
    },
  },
  history: { batch: (items) => timed(async () => historiesOf(items)) },
  minutes: {
    batch: async (minutes) => {
      const time = new VirtualTime({ maxEvents: 10_000_000 })
      const line = new QuickLine()
      const session = sessionIn(time, line)
      const each = await callOf(minutes, time, line, session)
      const took = each.reduce((sum, minute) => sum + minute, 0)
      return { took, each, close: () => time.run(session.close()).then(() => {}) }
    },
  },
}

/** CPU time of the warm-up, in microseconds. The JIT compiles on other threads, whose time counts as well. */
const WARM_UP = 1_500_000
/** How many batches are measured for memory, at most. */
const MEMORY_SAMPLES = 9

/** How often the units of the largest size are measured. The least counts, because other load can only add to it. */
const GROUPS = { sessions: 1, other: 3 }

/**
 * Takes one point of a curve, after a warm-up. Every size is measured with as many units as the largest one has, in more or
 * fewer batches, so that other load adds as much to each.
 */
export async function measureGrowth(name: CurveName, size: number): Promise<Point> {
  const { hasMemory, sizes, of, young = 0 }: Curve = curves[name]
  const { batch } = works[name]
  const unitsOf = (n: number): number => (name === 'history' ? ITEMS : n)
  const units = unitsOf(size)
  const small = Math.min(size, Math.ceil(sizes.at(-1)! / 10))
  for (let warm = 0; warm < WARM_UP;) warm += await cpuTime(() => batch(small).then(closed))
  fill(young)
  const batches = Math.ceil(unitsOf(sizes.at(-1)!) / units)
  const memory: number[] = []
  const costs: number[] = []
  for (let group = 0; group < (of === 'sessions' ? GROUPS.sessions : GROUPS.other); group++) {
    let took = 0
    const each: number[] = []
    for (let n = 0; n < batches; n++) {
      const done = await batch(size).then(closed)
      took += done.took
      each.push(...(done.each ?? []))
    }
    costs.push(each.length > 0 ? median(each) : took / batches / units)
  }
  // Not in the same batches: after a collection of all garbage, memory has to be used for the first time again.
  const samples = hasMemory ? Math.min(batches, MEMORY_SAMPLES) : 0
  for (let n = 0; n < samples; n++) memory.push((await held(batch, size)) / units / 1_024)
  return { cpu: Math.min(...costs), ...(memory.length > 0 ? { memory: median(memory) } : {}) }
}

/**
 * Uses all memory for young objects once, in both halves. A page of memory costs more when it is used for the first time,
 * and only large sizes would pay for that.
 */
function fill(megabytes: number): void {
  // 8 KB.
  const block = Array.from({ length: 1_024 }, (_, n) => n)
  const sink: number[][] = []
  for (let n = 0; n < 2 * megabytes * 128; n++) sink[n % 2] = block.slice()
}

/** Does a batch, and returns the bytes that it holds. A function of its own, so that nothing of the last batch is alive in the next one. */
async function held(batch: Work['batch'], size: number): Promise<number> {
  // Closed sessions are released once their last callbacks have run.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const before = heap()
  const done = await batch(size)
  const bytes = heap() - before
  await closed(done)
  return bytes
}

async function closed(done: Batch): Promise<Batch> {
  await done.close?.()
  return done
}

/** Makes something that a batch holds until it is closed. */
async function timed<T>(make: () => Promise<T>, close?: (made: T) => Promise<void>): Promise<Batch> {
  let made: T | undefined
  const took = await cpuTime(async () => {
    made = await make()
  })
  return { took, close: async () => close?.(made!) }
}

/** Lets everything run that waits for nothing but its turn. */
async function turns(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve))
}

/** Items in a batch of histories. All batches hold as many, in more or fewer histories. */
const ITEMS = 20_000

/** Conversations of this many items, as a session adds them, and the messages that a model gets. */
function historiesOf(items: number): History[] {
  return Array.from({ length: ITEMS / items }, () => {
    const history = new History({ maxItems: ITEMS + 1 })
    for (let n = 0; n < items; n += 5) addExchange(history, n)
    history.toMessages()
    return history
  })
}

/** Five items: words, which are heard piece by piece, and a tool. */
function addExchange(history: History, at: number): void {
  history.addUser('When are you open?', { at })
  const { id } = history.callTool({ call: 'c', name: 'look', input: '{}', at, agent: 'desk' })
  history.endTool(id, { output: 'found', failed: false, at })
  const words = history.speak({ at, agent: 'desk' })
  for (const heard of ['We', 'We are', 'We are open.']) words.heard(heard)
  words.end()
  history.addUser('Thank you.', { at })
  history.handOff({ from: 'desk', to: 'desk', at })
}

function sessionIn({ clock }: VirtualTime, line: QuickLine): Session {
  const agent = new Agent({ instructions: 'You answer the phone.' })
  const models = { llm: new QuickLlm(), tts, stt, vad: new LocalVad() }
  return new Session({ agent, models, line, clock })
}

/** One call of this many minutes in virtual time, and what each took. Every ten seconds the agent is asked something and answers. */
async function callOf(
  minutes: number,
  time: VirtualTime,
  line: QuickLine,
  session: Session,
): Promise<number[]> {
  await time.run(session.start())
  const each: number[] = []
  for (let minute = 0; minute < minutes; minute++)
    each.push(await cpuTime(() => minuteOf(time, line, session)))
  return each
}

async function minuteOf(time: VirtualTime, line: QuickLine, session: Session): Promise<void> {
  for (let second = 0; second < 60; second++) {
    line.hear()
    await time.elapse(1_000)
    if (second % 10 !== 0) continue
    session.addText('When are you open?')
    await time.run(session.reply().waitForPlayout())
  }
}
