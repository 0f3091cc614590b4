import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FaultSwitches } from '../../src/cli/fault-switches.ts'
import { culpritsOf } from '../../src/host/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { nameText, outcomeText, subjectText } from '../../studio/src/shared/words.ts'
import { Demo, STANDSTILL, type DemoPage } from './demo.ts'

let demo: Demo

beforeAll(async () => {
  demo = await Demo.start()
})

afterAll(async () => {
  // Nothing that was left open keeps the server from exiting.
  const truth = await demo.truth()
  expect(await demo.stop()).toBe(truth)
})

interface Expected {
  /** What the caller does once the fault is on. Default: hang up. */
  readonly does?: (page: DemoPage) => Promise<void>
  readonly report: Partial<SessionReport>
  /** What the report blames, and its outcome in the waterfall. */
  readonly culprit?: string
  readonly outcome?: string
}

const hangUp = (page: DemoPage): Promise<void> => page.hangUp()

/** The effect of each fault. A fault that is missing here is tested as well: for a close on time that names a culprit. */
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
    culprit: 'exit hook of reception',
    outcome: 'abandoned',
  },
  'listener throws': { report: { reason: 'caller-hung-up', clean: false }, culprit: 'listener of' },
  'provider drops': {
    // The session cannot continue without its STT.
    does: async () => {},
    report: { reason: 'error', clean: false },
    culprit: 'STT',
  },
  'half-open peer': { report: { reason: 'caller-lost', clean: true } },
  'line vanishes': {
    does: async (page) => {
      await page.type('thank you')
      await page.log.getByText(/You are welcome|Gladly/).waitFor()
      await page.hangUp()
    },
    report: { reason: 'caller-hung-up', clean: true },
  },
}

describe('a call of the demo with an injected fault', () => {
  it('has a switch for each fault', async () => {
    await using page = await demo.open()
    await page.page.getByText('Fault injection').waitFor()
    const faults = (await demo.faults()).map(({ name }) => name)
    expect(faults).toEqual(new FaultSwitches().list().map(({ name }) => name))
    expect(await page.page.locator('.fault button').allTextContents()).toEqual(faults)
    expect(faults).toEqual(expect.arrayContaining(Object.keys(known)))
  })

  // One after another: a fault affects every call of the server.
  it.each(new FaultSwitches().list())('closes on time: $name', async ({ name }) => {
    try {
      await closesOnTime(name)
    } finally {
      await demo.setFaults([])
    }
  })
})

/** Calls, turns the fault on, ends the call, and checks the report and the page. */
async function closesOnTime(name: string): Promise<void> {
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

  // The page names the same culprit, in its sentence and in its waterfall.
  await page.sentence.waitFor()
  const sentence = await page.sentence.textContent()
  const worst = culpritsOf(report)[0]
  if (report.clean) expect(sentence).toMatch(/^Closed cleanly in .* \(deadline 5 s\)\. Nothing left open\.$/)
  else expect(sentence).toContain(subjectText(report.error ? report.by! : worst!.name))
  if (culprit !== undefined) expect(sentence).toContain(culprit)
  const rows = page.page.getByRole('table', { name: 'Steps of the close' }).locator('.step')
  if (outcome !== undefined) {
    const { name: step, path } = worst!
    // A tool and its scope have one row.
    const label = path.at(-1) === `tool ${step}` ? `tool ${step}` : nameText(step)
    const row = rows.filter({ has: page.page.getByText(label, { exact: true }) })
    expect(await row.locator('.outcome').allTextContents()).toContain(outcomeText(outcome))
  }
  const wrong = await rows.and(page.page.locator('.bad:not(.scope)')).count()
  const left =
    wrong === 0 ? 'Nothing left open.' : `${wrong} resource${wrong === 1 ? '' : 's'} did not end cleanly.`
  await page.page.locator('.resources .empty').getByText(left).waitFor()
  expect(page.trouble).toEqual([])
}
