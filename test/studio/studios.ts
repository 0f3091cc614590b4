import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { buildPage } from './build-page.ts'
import { Studio } from './studio.ts'

type StudioOptions = Parameters<typeof Studio.open>[2]

/** Builds the page and launches a browser for the tests of one file. Returns the function that opens a studio in them. */
export function studios(): (options?: StudioOptions) => Promise<Studio> {
  let browser: Browser
  let built: Awaited<ReturnType<typeof buildPage>>
  beforeAll(async () => {
    ;[browser, built] = await Promise.all([launchChromium(), buildPage()])
  })
  afterAll(async () => {
    await browser.close()
    built.remove()
  })
  return (options) => Studio.open(browser, built.folder, options)
}
