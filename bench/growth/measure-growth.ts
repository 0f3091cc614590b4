import { LocalVad } from '../../src/providers/local/index.ts'
import { Agent, History, Session } from '../../src/session/index.ts'
import { VirtualTime } from '../../src/testing/index.ts'
import { median } from '../median.ts'
import { cpuTime, heap } from '../sampling.ts'
import { startBare } from './bare.ts'
import { curves, type Curve, type CurveName, type Point } from './curve.ts'
import { QuickLine, QuickLlm, closeCalls, looking, startCalls, stt, stuck, tts } from './parts.ts'

/** The units of a batch: what they took, in microseconds of CPU time, and how to let go of what they hold. */
interface Batch {
  readonly took: number
  readonly close?: () => Promise<void>
}

interface Measured extends Batch {
  /** What the units held. */
  readonly bytes?: number
}

interface Work {
  /** How many units to measure at least, in batches. Small batches are measured many times. */
  readonly total: number
  /** Does a batch of units at once. */
  readonly batch: (units: number) => Promise<Batch>
}

const works: Readonly<Record<CurveName, Work>> = {
  idle: { total: 2_000, batch: (count) => timed(() => startCalls(count), closeCalls) },
  bareIdle: { total: 2_000, batch: (count) => timed(() => startBare(count)) },
  talking: {
    total: 2_000,
    batch: async (count) => {
      const calls = await startCalls(count)
      const took = await cpuTime(async () => {
        for (const { line } of calls) line.hear()
        await Promise.all(calls.map(({ session }) => session.reply().waitForPlayout()))
      })
      return { took, close: () => closeCalls(calls) }
    },
  },
  bareTalking: {
    total: 2_000,
    batch: async (count) => {
      const bare = await startBare(count)
      return { took: await cpuTime(() => Promise.all(bare.map((each) => each.talk()))) }
    },
  },
  closing: {
    total: 2_000,
    batch: async (count) => {
      const calls = await startCalls(count)
      return { took: await cpuTime(() => closeCalls(calls)) }
    },
  },
  wedged: {
    total: 1_000,
    batch: async (count) => {
      const calls = await startCalls(count, { agent: stuck, tools: 1, closeTimeout: 20 })
      for (const { session } of calls) session.reply()
      await turns()
      return { took: await cpuTime(() => closeCalls(calls)) }
    },
  },
  tools: {
    total: 3_200,
    batch: async (count) => {
      // A new call each time, because results stay in the history of a call.
      const calls = await startCalls(1, { agent: looking, tools: count })
      const took = await cpuTime(() => calls[0]!.session.reply().waitForPlayout())
      await closeCalls(calls)
      return { took }
    },
  },
  history: { total: 40_000, batch: (items) => timed(async () => historiesOf(items)) },
  minutes: {
    total: 60,
    batch: async (minutes) => {
      const time = new VirtualTime({ maxEvents: 10_000_000 })
      const line = new QuickLine()
      const session = sessionIn(time, line)
      const took = await cpuTime(() => callOf(minutes, time, line, session))
      return { took, close: () => time.run(session.close()).then(() => {}) }
    },
  },
}

/** Units of the warm-up, as a share of all units: the JIT needs about half a second. */
const WARM_UP = 0.5
/** How many batches of a small size are measured for memory. */
const MEMORY_SAMPLES = 9

/** Takes one point of a curve, after a warm-up in batches of at most a quarter of the units. */
export async function measureGrowth(name: CurveName, size: number): Promise<Point> {
  const { hasMemory }: Curve = curves[name]
  const { total, batch } = works[name]
  const unitsOf = (n: number): number => (name === 'history' ? ITEMS : n)
  const units = unitsOf(size)
  const small = Math.min(size, Math.ceil(total / 4))
  for (let done = 0; done < total * WARM_UP; done += unitsOf(small)) await (await batch(small)).close?.()
  const batches = Math.ceil(total / units)
  const samples = units <= 100 ? MEMORY_SAMPLES : 1
  let took = 0
  const memory: number[] = []
  for (let n = 0; n < batches; n++) {
    const isHeld = hasMemory && n >= batches - samples
    const measured: Measured = await (isHeld ? held(batch, size) : batch(size).then(closed))
    took += measured.took
    if (measured.bytes !== undefined) memory.push(measured.bytes / units / 1_024)
  }
  const cpu = took / batches / units
  return memory.length > 0 ? { cpu, memory: median(memory) } : { cpu }
}

/** Does a batch, and measures what it holds. A function of its own, so that nothing of the last batch is alive in the next one. */
async function held(batch: Work['batch'], size: number): Promise<Measured> {
  // Closed sessions are released once their last callbacks have run.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const before = heap()
  const done = await batch(size)
  const bytes = heap() - before
  await closed(done)
  return { ...done, bytes }
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

/** One call of this many minutes in virtual time. Every ten seconds the agent is asked something and answers. */
async function callOf(minutes: number, time: VirtualTime, line: QuickLine, session: Session): Promise<void> {
  await time.run(session.start())
  for (let second = 0; second < minutes * 60; second++) {
    line.hear()
    await time.elapse(1_000)
    if (second % 10 !== 0) continue
    session.addText('When are you open?')
    await time.run(session.reply().waitForPlayout())
  }
}
