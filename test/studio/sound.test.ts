import { describe, expect, it } from 'vitest'
import { barriers } from './barriers.ts'
import { call } from './callers.ts'
import { studios } from './studios.ts'

const openStudio = studios()

describe('the sound of a call', () => {
  it('is shown for both sides, and a muted microphone cannot be overlooked', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await call(studio)
    await page.evaluate('testLine.level(0.3), testLine.agentLevel(0.1)')
    const level = (name: string) => async () =>
      Number(await page.getByRole('meter', { name }).getAttribute('aria-valuenow'))
    await expect.poll(level('Microphone level')).toBeGreaterThan(50)
    await expect.poll(level('Level of the agent')).toBeGreaterThan(50)
    await page.getByRole('button', { name: 'Mute' }).click()
    await page.getByRole('status').getByText('You are muted. The agent cannot hear you.').waitFor()
    await expect.poll(level('Microphone level')).toBe(0)
    expect(await page.evaluate('testSound.muted')).toBe(true)
    expect(await barriers(page)).toEqual([])
  })

  it('has a volume and devices, which are remembered, and push to talk by button and by key', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await page.getByRole('button', { name: 'Sound' }).click()
    await page.getByRole('slider', { name: 'Volume of the agent' }).fill('40')
    await page.getByRole('combobox', { name: 'Microphone' }).waitFor()
    await page.getByRole('checkbox', { name: 'Push to talk' }).check()
    expect(await barriers(page)).toEqual([])
    await page.reload()
    await call(studio)
    const sound = (): Promise<unknown> => page.evaluate('[testSound.volume, testSound.muted]')
    expect(await sound()).toEqual([0.4, true])
    await page.getByText('Hold the button or the space bar to talk.').waitFor()
    await page.locator('main').focus()
    await page.keyboard.down('Space')
    await page.getByRole('button', { name: 'Talking…' }).waitFor()
    expect(await sound()).toEqual([0.4, false])
    await page.keyboard.up('Space')
    await page.getByRole('button', { name: 'Hold to talk' }).hover()
    expect(await sound()).toEqual([0.4, true])
    await page.mouse.down()
    expect(await sound()).toEqual([0.4, false])
    await page.mouse.up()
    expect(await sound()).toEqual([0.4, true])
    await page.getByLabel('Type instead of speaking').fill('two words')
    await page.keyboard.press('Space')
    expect(await page.getByLabel('Type instead of speaking').inputValue()).toBe('two words ')
    expect(await sound()).toEqual([0.4, true])
  })
})
