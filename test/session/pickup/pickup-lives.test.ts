import { expect, it } from 'vitest'
import { silence, sine } from '../../../src/audio/index.ts'
import type { AnswerVerdict } from '../../../src/parts/index.ts'
import { SimRandom, inVirtualTime, type World } from '../../../src/testing/index.ts'
import { aCall, expectEnded } from '../fixture.ts'

const LIVES = 60

const text = 'This is Bright Dental. Please call us back.'

const words = [
  'Hello?',
  'Good morning, Bright Dental, this is Anna speaking, how can I help you?',
  'You have reached Tom. Please leave a message after the tone.',
  'For sales, press 1. For support, press 2.',
  'The mailbox is full.',
]

const verdicts: readonly AnswerVerdict[] = [
  { by: 'person' },
  { by: 'machine' },
  { by: 'machine', ended: 'beep' },
  { by: 'machine', ended: 'silence' },
  { by: 'fax' },
  { by: 'unknown' },
]

/** A call to somebody who speaks, beeps and is silent at random, while the carrier says anything at any time. */
async function life(world: World, random: SimRandom): Promise<void> {
  const { clock } = world
  let carrier: ((verdict: AnswerVerdict) => void) | undefined
  const settled: string[] = []
  let heard: boolean | undefined
  const hangUp = random.chance(0.7)
  const call = aCall(world, {
    answers: Array.from({ length: 30 }, () => 'Yes.'),
    agent: {
      onEnter: async ({ session }) => {
        const { by, how } = await session.answeredBy()
        settled.push(`${by} by ${how}`)
        if (by !== 'machine') return
        ;({ heard } = await session.leaveMessage(text, { hangUp }))
        settled.push('message')
      },
    },
    line: {
      streams: true,
      confirms: random.chance(0.9),
      onVerdict: (listener) => {
        carrier = listener
      },
    },
    stt: { finalAfter: random.pick([0, 500, 'never']) },
  })
  await call.session.start()
  for (let steps = random.int(1, 8); steps > 0; steps--) {
    if (call.session.state !== 'live') break
    const act = random.pick(['says', 'says', 'beeps', 'silent', 'verdict', 'hum'] as const)
    if (act === 'says') await call.caller.says(random.pick(words))
    if (act === 'beeps')
      await call.caller.says([sine(900, { sampleRate: 16_000, duration: 400 }), silence(200, 16_000)])
    if (act === 'hum') await call.caller.says(random.int(200, 9_000))
    if (act === 'verdict') carrier?.(random.pick(verdicts))
    if (act !== 'verdict') await clock.elapse(random.pick([0, 300, 700, 2_500, 8_000]))
  }
  const end = random.pick(['close', 'hang up', 'wait'] as const)
  const isOpen = call.session.state === 'live' || call.session.state === 'ending'
  if (isOpen && end === 'hang up') call.caller.hangsUp()
  // The longest wait: who answered, and twice the beep.
  if (end === 'wait') await clock.elapse(120_000)
  if (end === 'wait') expect(settled.length).toBeGreaterThan(0)
  if (end === 'wait' && settled[0]!.startsWith('machine')) expect(settled).toContain('message')
  const report = await call.session.close()
  carrier?.({ by: 'machine', ended: 'beep' })
  await clock.elapse(0)
  expectEnded(call)
  expect(settled[0]).toBe(`${report.answered!.by} by ${report.answered!.how}`)
  // A session that is closing takes no message.
  expect(report.messages?.[0]?.heard ?? false).toBe(heard ?? false)
  if (heard) expect(call.line.heardText).toContain(text)
  expect(call.clockTimers()).toEqual([])
}

it('[MD1] [MD3] [MD6] [MD7] who answered is settled once, and a message ends, whatever happens', async () => {
  for (let seed = 1; seed <= LIVES; seed++)
    await inVirtualTime((world) => life(world, new SimRandom(seed))).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error })
    })
})
