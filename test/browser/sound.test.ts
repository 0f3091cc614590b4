import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notUnderstood } from '../../src/providers/local/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { clip } from '../fixtures/speech.ts'
import { Demo, type DemoPage } from './demo.ts'
import { plain, transcribe } from './transcribe.ts'

const GREETING = 'Bright Dental, good morning! How can I help you?'

/** What the clinic can say: the choices of the transcriber. */
const sayings = [
  GREETING,
  'You are welcome! Anything else?',
  'Thank you for calling Bright Dental. Goodbye!',
  'And at what time?',
  'Let me see.',
  'You are booked for Monday at ten.',
  'One moment.',
  'You have no appointment with us.',
  'I will put you through to billing.',
  'Billing, hello! What can I do for you?',
  'Let me look that up.',
  'You owe us forty euros. Anything else?',
  'The calendar takes a moment.',
  'Pardon me?',
]

let demo: Demo

beforeAll(async () => {
  demo = await Demo.start()
})

afterAll(async () => {
  expect(await demo.stop()).toBe(0)
})

/** The agent's messages, as far as they were heard. */
const saidIn = ({ transcript }: SessionReport): string[] =>
  transcript.flatMap((item) => (item.type === 'message' && item.role === 'agent' ? [item.text] : []))

/** The time of the first sound in a recording, in milliseconds. */
function beginningOf(samples: Int16Array): number {
  return samples.findIndex((sample) => Math.abs(sample) > 1_000) / 16
}

/** Speaks over the greeting, and prints how long the page took to become silent. */
async function speakOver(page: DemoPage, room: string): Promise<void> {
  const { samples } = clip('what are your opening hours')
  await page.run('ears.sounded(700)')
  const begun = (await page.say(samples)) + beginningOf(samples)
  await page.run('ears.cleared()')
  await page.run('ears.silent(450)')
  const { asked, silent } = await page.run<{ asked: number; silent: number }>('ears.interrupted()')
  const [toSilence, fromClear] = [silent - begun, Math.max(0, silent - asked)]
  console.log(
    `${room}: from speech to silence ${toSilence.toFixed(0)} ms, from clear to silence ${fromClear.toFixed(0)} ms`,
  )
  expect(toSilence).toBeLessThan(3_000)
  // One render quantum of 8 ms, plus delays of a busy machine.
  expect(fromClear).toBeLessThan(500)
  await page.hangUp()
  const report = await page.report()
  const [greeting] = report.transcript
  expect(greeting).toMatchObject({ role: 'agent', interrupted: true })
  expect(GREETING.startsWith((greeting as { readonly text: string }).text)).toBe(true)
}

describe('the sound of the demo, in a real browser', () => {
  it('matches the transcript of a spoken conversation when it is transcribed back', async () => {
    await using page = await demo.open({ ears: true, room: { noise: -60 } })
    await page.call()
    await page.run('ears.silent(500)')
    const greeting = await page.heard()
    for (const words of ['cancel my appointment', 'yes please', 'goodbye'])
      await page.ask(words, clip(words).samples)
    // The agent finishes its goodbye and hangs up.
    await page.sentence.getByText(/^Closed cleanly/).waitFor()
    const report = await page.report()
    expect(report).toMatchObject({ reason: 'agent-hung-up', clean: true })
    const said = saidIn(report)
    expect(said[0]).toBe(GREETING)
    const expected = said.map((each) => (sayings.includes(each) ? plain(each) : notUnderstood))
    expect(expected.filter((each) => each !== notUnderstood).length).toBeGreaterThanOrEqual(3)
    expect((await transcribe(await page.heard(), sayings)).join(' ')).toBe(expected.join(' '))
    console.log(`turn latency: ${report.turns.map(({ latency }) => `${latency.toFixed(0)} ms`).join(', ')}`)

    // Without the greeting among its choices, the transcriber understands nothing.
    const others = sayings.filter((each) => each !== GREETING)
    expect(new Set(await transcribe(greeting, others))).toEqual(new Set([notUnderstood]))
  })

  it('stops when the caller speaks', async () => {
    await using page = await demo.open({ ears: true, room: { noise: -60 } })
    await page.call()
    await speakOver(page, 'with headphones')
  })

  it.concurrent.each([
    { gain: -20, delay: 50 },
    { gain: -12, delay: 200 },
  ])('does not interrupt the agent when it echoes at $gain dB after $delay ms', async (echo) => {
    await using page = await demo.open({ ears: true, room: { echo, noise: -55 } })
    await page.call()
    await page.log.locator('.pending').waitFor({ state: 'detached' })
    // Longer than the agent needs to detect a turn and to answer it.
    await page.run('ears.silent(2_000)')
    await page.hangUp()
    const report = await page.report()
    expect(report.transcript).toMatchObject([{ role: 'agent', text: GREETING }])
    expect(report.transcript[0]).not.toHaveProperty('interrupted')
  })

  it('stops when the caller speaks over its echo', async () => {
    await using page = await demo.open({ ears: true, room: { echo: { gain: -12, delay: 100 }, noise: -55 } })
    await page.call()
    await speakOver(page, 'with a loudspeaker, -12 dB')
  })
})
