import type { Page } from 'playwright-core'

/** Presses Tab until the element with this name has the focus: `button Hang up`, `input Type instead of speaking`. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    const here = await page.evaluate(
      `(({ labels, localName, textContent }) =>
        localName + ' ' + (labels?.[0]?.textContent ?? textContent).trim())(document.activeElement)`,
    )
    if (here === name) return
  }
  throw new Error(`Tab never reached '${name}'`)
}
