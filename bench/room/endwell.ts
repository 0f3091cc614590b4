import { startDev } from '../../src/cli/dev.ts'
import { LocalStt, LocalTts, LocalVad, ScriptedDialogue } from '../../src/providers/local/index.ts'
import { Agent, Session, type Models } from '../../src/session/index.ts'
import { TestLine } from '../../src/testing/index.ts'
import { TypingPage } from '../../test/cli/typing-page.ts'
import { clinic } from '../../test/fixtures/clinic.ts'
import type { Measure, Sample } from '../bench.ts'
import { cpuTime } from '../sampling.ts'

/** Callers who dial at the same moment. */
const CROWD = 130

export const measure: Measure = async () => ({ ...(await oneCall()), ...(await crowd()) })

const dialogue = new ScriptedDialogue(clinic)
const agent = new Agent({
  name: 'desk',
  instructions: '',
  onEnter: ({ session }) => session.say('Bright Dental, good morning!'),
})

const models = (): Models => ({
  llm: dialogue,
  tts: new LocalTts(),
  stt: new LocalStt({ phrases: dialogue.phrases }),
  vad: new LocalVad(),
})

async function oneCall(): Promise<Sample> {
  const session = new Session({ agent, models: models(), line: new TestLine() })
  const before = process.memoryUsage().rss
  const start = await cpuTime(() => session.start())
  const memory = (process.memoryUsage().rss - before) / 2 ** 20
  const began = performance.now()
  const speaking = await cpuTime(async () => {
    for (const day of ['Monday', 'Tuesday', 'Friday'])
      await session.say(`We are open from eight to six on ${day}, and closed on Sunday.`).waitForPlayout()
  })
  const spoken = performance.now() - began
  const other = new Session({ agent, models: models(), line: new TestLine() })
  const first = process.memoryUsage().rss
  await other.start()
  const another = (process.memoryUsage().rss - first) / 2 ** 20
  await Promise.all([session.close(), other.close()])
  return { start: start / 1_000, memory, another, talking: speaking / 10 / spoken }
}

/** How a crowd fares that calls `endwell dev` at the same moment. */
async function crowd(): Promise<Sample> {
  const file = { name: 'Clinic', agent, models }
  const dev = await startDev({ file, choice: { name: 'own', models }, port: 0 })
  const began = performance.now()
  let told = 0
  const outcomes = await Promise.all(
    Array.from({ length: CROWD }, async () => {
      const page = new TypingPage(dev.url)
      await page.until(() => page.closed || page.received > 0)
      if (page.received > 0) return 'answered'
      if (page.reason !== 'BUSY' && page.reason !== 'TOO_FAST') return 'failed'
      told = Math.max(told, performance.now() - began)
      return 'refused'
    }),
  )
  await dev.close()
  const count = (what: string): number => outcomes.filter((each) => each === what).length
  return { answered: count('answered'), refused: count('refused'), failed: count('failed'), told }
}
