import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FaultSwitches } from '../../src/cli/fault-switches.ts'
import { culpritsOf } from '../../src/host/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { Demo, STANDSTILL, timeout, type DemoPage } from './demo.ts'

/** Faults strike every call of a server; most of their tests only wait. So there are two servers, each for one at a time. */
const demos: Demo[] = []
let free: Demo[]

beforeAll(async () => {
  demos.push(await Demo.start())
  demos.push(await Demo.start({ browser: demos[0]!.browser }))
  free = [...demos]
}, timeout)

afterAll(async () => {
  // Also of what would not end, nothing keeps a server from ending.
  for (const demo of demos.toReversed()) expect(await demo.stop()).toBe(0)
})

interface Expected {
  /** What the caller does once the fault is on; hangs up unless set. */
  readonly does?: (page: DemoPage) => Promise<void>
  readonly report: Partial<SessionReport>
  /** What is at fault, and how it ended, in the words of the waterfall. */
  readonly culprit?: string
  readonly outcome?: string
}

const hangUp = (page: DemoPage): Promise<void> => page.hangUp()

/** What is known of each fault. One that is new and not in here is tested, too: it ends on time, and names its culprit. */
const known: Readonly<Record<string, Expected>> = {
  'tool never ends': {
    does: async (page) => {
      await page.type('book an appointment on Monday at ten')
      await page.log.locator('.tool-call.running').waitFor()
      await page.hangUp()
    },
    report: { reason: 'caller-hung-up', clean: false },
    culprit: 'book',
    outcome: 'abandoned',
  },
  'close hangs': { report: { reason: 'caller-hung-up', clean: false }, outcome: 'timed-out' },
  'close throws': { report: { reason: 'caller-hung-up', clean: false }, outcome: 'failed' },
  'exit hook never returns': {
    report: { reason: 'caller-hung-up', clean: false },
    culprit: "exit hook of 'reception'",
    outcome: 'abandoned',
  },
  'listener throws': { report: { reason: 'caller-hung-up', clean: true } },
  'provider drops': {
    // Without the model that hears, the session cannot go on.
    does: async () => {},
    report: { reason: 'error', clean: false },
    culprit: 'stt',
  },
  'half-open peer': { report: { reason: 'caller-lost', clean: false }, culprit: 'browser' },
  'line vanishes': {
    does: async (page) => {
      await page.type('thank you')
      await page.log.getByText(/You are welcome|Gladly/).waitFor()
      await page.hangUp()
    },
    report: { reason: 'caller-hung-up', clean: true },
  },
}

describe('a call of the demo, broken on purpose', { timeout }, () => {
  it('has a button for each fault', async () => {
    const [demo] = demos
    await using page = await demo!.open()
    await page.page.getByText('Break something').waitFor()
    const faults = (await demo!.faults()).map(({ name }) => name)
    expect(faults).toEqual(new FaultSwitches().list().map(({ name }) => name))
    expect(await page.page.locator('.fault button').allTextContents()).toEqual(faults)
    expect(faults).toEqual(expect.arrayContaining(Object.keys(known)))
  })

  it.concurrent.each(new FaultSwitches().list())('ends well all the same: $name', async ({ name }) => {
    const demo = free.pop()!
    try {
      await endsWell(demo, name)
    } finally {
      await demo.setFaults([])
      free.push(demo)
    }
  })
})

/** Calls, breaks it, hangs up, and reads how it ended. */
async function endsWell(demo: Demo, name: string): Promise<void> {
  const { does = hangUp, report: wanted, culprit, outcome } = known[name] ?? { report: {} }
  await using page = await demo.open()
  await page.call()
  await page.button(name).click()
  await page.page.locator('.fault.on').getByText(name, { exact: true }).waitFor()
  await does(page)
  const report = await page.report()
  expect(report).toMatchObject(wanted)
  expect(report.took).toBeLessThanOrEqual(report.closeTimeout + STANDSTILL)
  const summary = await demo.onlyClosed(page.session)
  expect(summary).toMatchObject({ reason: report.reason, clean: report.clean })

  // The page names the same culprit, and draws it.
  await page.sentence.waitFor()
  const sentence = await page.sentence.textContent()
  const worst = culpritsOf(report)[0]
  if (report.clean) expect(sentence).toMatch(/^Ended well, in .* of the 5 s it had\. Nothing is left\.$/)
  else expect(sentence).toContain(report.error ? report.by : worst?.name)
  if (culprit !== undefined) expect(sentence).toContain(culprit)
  const rows = page.page.getByRole('table', { name: 'Every step of the close' }).locator('.step')
  if (outcome !== undefined) {
    const row = rows.filter({ has: page.page.getByText(worst!.name, { exact: true }) })
    expect(await row.locator('.outcome').allTextContents()).toContain(outcome)
  }
  const wrong = await rows.and(page.page.locator('.bad:not(:has(.tag))')).count()
  const left =
    wrong === 0 ? 'Nothing is left.' : wrong === 1 ? 'One thing did not' : `${wrong} things did not end`
  await page.page.locator('.alive .empty').getByText(left).waitFor()
  expect(page.trouble).toEqual([])
}
