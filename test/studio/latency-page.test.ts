import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LlmChunk } from '../../src/parts/index.ts'
import { emitted, type StageCall } from '../host/stage.ts'
import { barriers } from './barriers.ts'
import { looks, pictures } from './looks.ts'
import { Studio } from './studio.ts'
import { studios } from './studios.ts'

const openStudio = studios()

const usage = (inputTokens: number): LlmChunk => ({ type: 'usage', usage: { inputTokens, outputTokens: 20 } })

/** Starts a call with answers that take a while, and prices for one of its two models. */
async function aSlowCall({ stage }: Studio): Promise<StageCall> {
  const call = stage.call({
    id: 'slow',
    // Longer than anything else takes on a busy machine: the model is the slowest stage.
    thinksFor: 1_000,
    answers: [
      ['At eight.', usage(900)],
      ['On Monday.', usage(1_100)],
    ],
    prices: { llm: { inputTokens: 0.000_01, outputTokens: 0.000_1 } },
    priceList: { currency: 'USD', products: {} },
  })
  await call.session.start()
  return call
}

async function ask({ session, caller }: StageCall, text: string): Promise<void> {
  const known = emitted(session, 'latency')
  caller.types(text)
  await known
}

describe.each(looks)('the response times of a call: %s, %s', (colorScheme, size, viewport) => {
  it('[LT1] [CL15] are shown by stage, live and afterwards, with what the call costs', async () => {
    await using studio = await openStudio({
      browserOptions: { colorScheme, viewport },
    })
    const { page } = studio
    const look = async (view: string): Promise<void> => {
      expect(await barriers(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `${view}-${size}-${colorScheme}.png`), fullPage: true })
    }
    const call = await aSlowCall(studio)
    await studio.goto('#/sessions/slow')
    const panel = page.getByRole('region', { name: 'Response time' })
    await panel.getByText('How long the caller waits for each answer').waitFor()
    await ask(call, 'When do you open?')
    await panel.getByRole('heading', { name: /^Turn 1: [\d.]+ m?s, (fast|noticeable|slow)$/ }).waitFor()
    await ask(call, 'And on which day?')
    // The stages of the latest turn, until another one is chosen.
    await panel.getByRole('heading', { name: /^Turn 2: / }).waitFor()
    await panel.getByText(/^Slowest stage: Model, \d+ % of the time$/).waitFor()
    const turns = panel.getByRole('slider', { name: 'Turn' })
    await turns.focus()
    await page.keyboard.press('ArrowLeft')
    await panel.getByRole('heading', { name: /^Turn 1: / }).waitFor()
    expect(await turns.getAttribute('aria-valuetext')).toMatch(/^Turn 1 of 2: [\d.]+ m?s, \w+$/)
    const stages = panel.locator('.latency-turn li')
    expect(await stages.locator('b').allTextContents()).toHaveLength(3)
    expect(await stages.first().textContent()).toMatch(/^Model, until .*: [\d.]+ m?s, the longest stage$/)
    // The response time is beside each answer, too.
    await page.getByRole('log').locator('.waited').nth(1).waitFor()
    // 2,000 tokens in and 40 out. The voice has no price, which is not a price of 0.
    const cost = page.getByRole('region', { name: 'Cost' })
    await cost.getByText('$0.0240 without tts').waitFor()
    await cost.getByText('2,000 tokens in · 40 tokens out').waitFor()
    await cost.getByText('no price known').waitFor()
    await look('latency-live')

    await call.session.close()
    await page.getByRole('heading', { name: 'How the call ended' }).waitFor()
    await page.goto('about:blank')
    await studio.goto('#/sessions/slow')
    await panel.getByRole('heading', { name: /^Turn 2: [\d.]+ m?s, (fast|noticeable|slow)$/ }).waitFor()
    await cost.getByText('$0.0240 without tts').waitFor()
    await look('latency-ended')
    expect(studio.errors).toEqual([])
  })
})
