import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Agent, Session, tool } from '../../src/session/index.ts'
import type { Measure } from '../bench.ts'
import { QuickLine, QuickLlm, QuickTts } from './parts.ts'

const rounds = 300
const many = 1_000
const desk = new Agent({ instructions: 'You answer the phone.' })

function aSession(line = new QuickLine()): Session {
  return new Session({ agent: desk, models: { llm: new QuickLlm(), tts: new QuickTts() }, line })
}

export const measure: Measure = async () => {
  // Warm up: in the first rounds the code is not yet optimized.
  await oneAtATime()
  await memory()
  const { start, close, interrupt, reply } = medians(await oneAtATime())
  return {
    start,
    close,
    interrupt,
    reply,
    ...(await memory()),
    thousand: await thousand(aSession),
    stuck: await thousand(aStuckSession),
    exit: await exit(),
  }
}

interface Round {
  readonly start: number
  readonly close: number
  readonly interrupt: number
  readonly reply: number
}

/** Measures each step in the life of a session, many times. */
async function oneAtATime(): Promise<Round[]> {
  const results: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const line = new QuickLine()
    const session = aSession(line)
    const began = performance.now()
    await session.start()
    const start = performance.now() - began

    const repliedAt = performance.now()
    const heard = new Promise<number>((resolve) => {
      line.onPlay = () => resolve(performance.now() - repliedAt)
    })
    const answer = session.reply()
    const reply = await heard
    await answer.waitForPlayout()

    line.confirms = false
    const sounding = new Promise<void>((resolve) => {
      line.onPlay = resolve
    })
    session.say('A long sentence.')
    await sounding
    let cleared = 0
    line.onClear = () => (cleared = performance.now())
    const interruptedAt = performance.now()
    session.interrupt()
    const interrupt = cleared - interruptedAt

    const closedAt = performance.now()
    await session.close()
    results.push({ start, reply, interrupt, close: performance.now() - closedAt })
  }
  return results
}

function medians(results: readonly Round[]): Round {
  const median = (name: keyof Round): number => {
    const sorted = results.map((result) => result[name]).toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  }
  return {
    start: median('start'),
    close: median('close'),
    interrupt: median('interrupt'),
    reply: median('reply'),
  }
}

/** KB per session while it is idle, and after it has closed and is no longer referenced. */
async function memory(): Promise<{ heap: number; kept: number }> {
  const before = used()
  const sessions = Array.from({ length: many }, () => aSession())
  await Promise.all(sessions.map((session) => session.start()))
  const heap = (used() - before) / many / 1_024
  await Promise.all(sessions.map((session) => session.close()))
  sessions.length = 0
  await new Promise((resolve) => setTimeout(resolve, 20))
  const kept = Math.max(0, (used() - before) / many / 1_024)
  return { heap, kept }
}

function used(): number {
  const { gc } = globalThis as { gc?: () => void }
  gc?.()
  gc?.()
  return process.memoryUsage().heapUsed
}

/** Milliseconds from the first close() to the last report, with a thousand sessions closing at once. */
async function thousand(make: () => Session): Promise<number> {
  const sessions = Array.from({ length: many }, make)
  await Promise.all(sessions.map((session) => session.start()))
  for (const session of sessions) session.reply()
  await new Promise((resolve) => setTimeout(resolve, 50))
  const began = performance.now()
  await Promise.all(sessions.map((session) => session.close()))
  return performance.now() - began
}

const stuckAgent = new Agent({
  instructions: 'You answer the phone.',
  tools: { hang: tool({ description: 'Ignores its signal', run: () => new Promise(() => {}) }) },
})

function aStuckSession(): Session {
  const llm = new QuickLlm({ type: 'tool-call', id: '1', name: 'hang', input: '{}' })
  const models = { llm, tts: new QuickTts() }
  return new Session({ agent: stuckAgent, models, line: new QuickLine(), closeTimeout: 1_000 })
}

/** Milliseconds from the close to the exit of a process that does nothing else. */
async function exit(): Promise<number> {
  const script = `
    const { Session, Agent } = await import(${JSON.stringify(new URL('../../src/session/index.js', import.meta.url).href)})
    const { QuickLine, QuickLlm, QuickTts } = await import(${JSON.stringify(new URL('./parts.js', import.meta.url).href)})
    const agent = new Agent({ instructions: '' })
    const session = new Session({ agent, models: { llm: new QuickLlm(), tts: new QuickTts() }, line: new QuickLine() })
    await session.start()
    await session.close()
    process.stdout.write(String(Date.now()))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  return Date.now() - Number(stdout)
}
