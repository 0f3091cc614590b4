import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { askFor } from '../serve-on-demand.ts'
import { Studio } from './studio.ts'

type StudioOptions = Parameters<typeof Studio.open>[2]

/** Launches a browser for the tests of one file. Returns the function that opens a studio in it. */
export function studios(): (options?: StudioOptions) => Promise<Studio> {
  let browser: Browser
  let folder: string
  beforeAll(async () => {
    ;[browser, folder] = await Promise.all([launchChromium(), askFor(inject('studio'))])
  })
  afterAll(() => browser.close())
  return (options) => Studio.open(browser, folder, options)
}
