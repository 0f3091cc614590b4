import type { Locator, Page } from 'playwright-core'
import type { Studio } from './studio.ts'

/** The sentence about how a session closed. */
export const sentence = (page: Page): Locator => page.locator('.sentence')

/** Makes a call from the idle page, and waits for the greeting. */
export async function call(studio: Studio): Promise<void> {
  const { page } = studio
  await page.getByRole('button', { name: /^Call/ }).click()
  await page.getByRole('log').getByText('How can I help you?').waitFor()
}

/** Turns a fault on, and waits until the host has confirmed it: a call that begins earlier may not have it. */
export async function turnOn({ page }: Studio, name: RegExp): Promise<void> {
  await page.getByRole('button', { name }).click()
  await page.locator('[aria-pressed=true]').filter({ hasText: name }).waitFor()
}

/** Asks a question that starts a tool, which runs until it is cancelled. */
export async function askForHours({ page }: Studio): Promise<void> {
  await page.getByLabel('Type instead of speaking').fill('When are you open?')
  await page.getByRole('button', { name: 'Send', disabled: false }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('reading the calendar').waitFor()
}
