import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notUnderstood } from '../../src/providers/local/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { clip } from '../fixtures/speech.ts'
import { Demo, timeout, type DemoPage } from './demo.ts'
import { plain, transcribe } from './transcribe.ts'

const GREETING = 'Bright Dental, good morning! How can I help you?'

/** What the clinic can say: each could be taken for another. */
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
}, timeout)

afterAll(async () => {
  expect(await demo.stop()).toBe(0)
})

/** What the agent said, as far as it was heard. */
const saidIn = ({ transcript }: SessionReport): string[] =>
  transcript.flatMap((item) => (item.type === 'message' && item.role === 'agent' ? [item.text] : []))

/** Milliseconds until the first sound of a recording. */
function beginningOf(samples: Int16Array): number {
  return samples.findIndex((sample) => Math.abs(sample) > 1_000) / 16
}

/** The caller speaks over the greeting. Prints how long it took until the page was silent. */
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
  // A quantum of 8 ms, and whatever the machine does meanwhile.
  expect(fromClear).toBeLessThan(500)
  await page.hangUp()
  const report = await page.report()
  const [greeting] = report.transcript
  expect(greeting).toMatchObject({ role: 'agent', interrupted: true })
  expect(GREETING.startsWith((greeting as { readonly text: string }).text)).toBe(true)
}

describe('the sound of the demo, in a real browser', { timeout }, () => {
  it('is what the transcript says: a spoken conversation, transcribed back', async () => {
    await using page = await demo.open({ ears: true, room: { noise: -60 } })
    await page.call()
    await page.run('ears.silent(500)')
    const greeting = await page.heard()
    for (const words of ['cancel my appointment', 'yes please', 'goodbye'])
      await page.ask(words, clip(words).samples)
    // It says goodbye to the end, and hangs up by itself.
    await page.sentence.getByText(/^Ended well/).waitFor()
    const report = await page.report()
    expect(report).toMatchObject({ reason: 'agent-hung-up', clean: true })
    const said = saidIn(report)
    expect(said[0]).toBe(GREETING)
    const expected = said.map((each) => (sayings.includes(each) ? plain(each) : notUnderstood))
    expect(expected.filter((each) => each !== notUnderstood).length).toBeGreaterThanOrEqual(3)
    expect((await transcribe(await page.heard(), sayings)).join(' ')).toBe(expected.join(' '))
    console.log(`turn latency: ${report.turns.map(({ latency }) => `${latency.toFixed(0)} ms`).join(', ')}`)

    // Where these words could not be, the same ears do not find them, nor others instead.
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
  ])('does not interrupt itself where it comes back at $gain dB after $delay ms', async (echo) => {
    await using page = await demo.open({ ears: true, room: { echo, noise: -55 } })
    await page.call()
    await page.log.locator('.coming').waitFor({ state: 'detached' })
    // Longer than it takes to hear the end of a turn, and to answer.
    await page.run('ears.silent(2_000)')
    await page.hangUp()
    const report = await page.report()
    expect(report.transcript).toMatchObject([{ role: 'agent', text: GREETING }])
    expect(report.transcript[0]).not.toHaveProperty('interrupted')
  })

  it('stops when the caller speaks also where it comes back', async () => {
    await using page = await demo.open({ ears: true, room: { echo: { gain: -12, delay: 100 }, noise: -55 } })
    await page.call()
    await speakOver(page, 'with a loudspeaker, -12 dB')
  })
})
