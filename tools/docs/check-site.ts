import { readFileSync, readdirSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import type { Browser, Page } from 'playwright-core'

import { launchChromium } from '../../test/browser/chromium.ts'
import { barriers } from '../../test/studio/barriers.ts'
import { fileAt, serveSite } from './serve-site.ts'

const phone = { width: 390, height: 844 }
const wide = { width: 1360, height: 900 }

/** Barriers of VitePress' own theme, which the pages cannot remove: the label of its search button. */
const themes = ['label-content-name-mismatch: .DocSearch']

/** Checks a built site, and if wanted every page in a browser. Returns one line for each problem. */
export async function checkSite(folder: string, base: string, inBrowser: boolean): Promise<string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.html'),
  )
  const pages = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  const seen = inBrowser ? await browserProblems(folder, base, files) : []
  return [...linkProblems(folder, base, pages), ...seen]
}

/** Links and anchors that lead nowhere, and anything that a page loads from another server. */
export function linkProblems(folder: string, base: string, pages: ReadonlyMap<string, string>): string[] {
  const anchors = new Map<string, ReadonlySet<string>>()
  const anchorsOf = (file: string): ReadonlySet<string> => {
    const known =
      anchors.get(file) ??
      new Set([...(pages.get(file) ?? '').matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id))
    anchors.set(file, known)
    return known
  }
  return [...pages].flatMap(([page, html]) => {
    const found: string[] = []
    for (const [, tag = '', target = ''] of html.matchAll(
      /<(a|img|script|link|source)\b[^>]*?\s(?:href|src|srcset)="([^"]+)"/g,
    )) {
      if (/^(https?:)?\/\//.test(target)) {
        if (tag !== 'a') found.push(`${page} loads ${target} from another server`)
        continue
      }
      if (/^(data|mailto):/.test(target)) continue
      const [path = '', anchor] = decodeURIComponent(target.replaceAll('&amp;', '&')).split('#')
      const address =
        path === ''
          ? base + page
          : posix.join('/', path.startsWith('/') ? '' : posix.join(base, posix.dirname(page)), path)
      const file = fileAt(folder, base, address)
      if (file === undefined) found.push(`${page} links to ${target}, which does not exist`)
      else if (anchor !== undefined && anchor !== '' && !anchorsOf(relative(folder, file)).has(anchor))
        found.push(`${page} links to ${target}, which has no such anchor`)
    }
    return found
  })
}

/** Opens every page in a browser: errors, width on a phone; and on some of them barriers, the search and the theme. */
async function browserProblems(folder: string, base: string, files: readonly string[]): Promise<string[]> {
  const server = await serveSite(folder, base, 0)
  const browser = await launchChromium()
  const url = `http://localhost:${server.port}${base}`
  try {
    return [
      ...(await narrowProblems(browser, url, files)),
      ...(await barrierProblems(browser, url)),
      ...(await searchProblems(browser, url)),
    ]
  } finally {
    await browser.close()
    server.close()
  }
}

async function narrowProblems(browser: Browser, url: string, files: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const page = await browser.newPage({ viewport: phone, colorScheme: 'dark' })
  page.on('pageerror', (error) => found.push(`${page.url()}: ${error.message}`))
  for (const file of files.filter((each) => each !== '404.html')) {
    await page.goto(url + file.replace(/(index)?\.html$/, ''))
    if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
      found.push(`${file} is wider than a phone`)
  }
  await page.close()
  return found
}

async function barrierProblems(browser: Browser, url: string): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: wide, colorScheme })
    for (const path of ['', 'quick-start', 'agents', 'errors', 'reference/endwell-client']) {
      await page.goto(url + path)
      const own = (await barriers(page)).filter((barrier) => !themes.some((each) => barrier.startsWith(each)))
      for (const barrier of own) found.push(`/${path} in ${colorScheme}: ${barrier}`)
    }
    await page.close()
  }
  return found
}

/** Finds a page by keyboard alone. */
async function searchProblems(browser: Browser, url: string): Promise<string[]> {
  const page: Page = await browser.newPage({ viewport: wide })
  await page.goto(url)
  // The search box is loaded when it is opened, and the page takes keys only once its script has run.
  const box = page.locator('#localsearch-input')
  await page.waitForFunction('document.querySelector("#app").__vue_app__ !== undefined')
  await page.keyboard.press('Control+k')
  await box.waitFor()
  await page.keyboard.type('waitForPlayout')
  await page.locator('.result').first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL((address) => address.href.length > url.length && !address.href.endsWith('#'))
  const found = page.locator('.vp-doc', { hasText: 'waitForPlayout' })
  const problems = await found.waitFor().then(
    () => [],
    () => [`the search for waitForPlayout leads to ${page.url()}, which does not mention it`],
  )
  await page.close()
  return problems
}
