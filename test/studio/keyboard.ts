import type { Page } from 'playwright-core'

/** More presses than any view has places for the focus. */
const MOST = 120

/** Presses Tab until an element with this name has the focus: `button Hang up`, `input Type instead of speaking`. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let presses = 0; presses < MOST; presses++) {
    await page.keyboard.press('Tab')
    const here: string = await page.evaluate(
      `(({ ariaLabel, labels, localName, textContent }) =>
        localName + ' ' + (ariaLabel ?? labels?.[0]?.textContent ?? textContent).trim())(document.activeElement)`,
    )
    if (typeof name === 'string' ? here === name : name.test(here)) return
  }
  throw new Error(`Tab never reached '${String(name)}'`)
}

/** Tabs to an element, and presses a key on it. Default: Enter. */
export async function pressOn(page: Page, name: string | RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}
