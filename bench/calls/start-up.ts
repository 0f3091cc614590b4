import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../../test/browser/chromium.ts'

const run = promisify(execFile)

/** Seconds from `npm start`, with the packages installed, until the agent is heard in a page. */
export function startToTalk(): Promise<number> {
  return inFreshCopy(async (folder, browser) => {
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
    return await seconds(() => talk(folder, browser))
  })
}

/** Seconds from `npm ci`, with an empty npm cache, until the agent is heard in a page. */
export function cloneToTalk(): Promise<number> {
  return inFreshCopy(async (folder, browser) =>
    seconds(async () => {
      await run('npm', ['ci', '--cache', join(folder, '.npm')], { cwd: folder })
      await talk(folder, browser)
    }),
  )
}

/** Starts the demo as a newcomer does, calls it from the page, and stops it when the agent speaks. */
async function talk(folder: string, browser: Browser): Promise<void> {
  // In its own process group, because npm starts a shell that starts the program.
  const npm = spawn('npm', ['start', '--silent', '--', '--port', '0', '--json'], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(npm, 'exit')
  try {
    const page = await browser.newPage()
    await page.addInitScript(noticeSpeaking)
    await page.goto(await urlOf(npm.stdout))
    await page.getByRole('button', { name: /^Call/ }).click()
    await page.evaluate('speaks')
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.close()
  } finally {
    process.kill(-npm.pid!, 'SIGINT')
    await ended
  }
}

/** Resolves `speaks` when the audio thread of the page renders sound. */
const noticeSpeaking = `
  globalThis.speaks = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('the agent was not heard')), 60_000)
    const Node = AudioWorkletNode
    globalThis.AudioWorkletNode = class extends Node {
      constructor(...args) {
        super(...args)
        this.port.addEventListener('message', ({ data }) => data.type === 'speaking' && resolve())
      }
    }
  })
  speaks.catch(() => {})`

async function urlOf(output: NodeJS.ReadableStream): Promise<string> {
  const printed: string[] = []
  for await (const line of createInterface(output)) {
    if (line.startsWith('{')) return (JSON.parse(line) as { readonly url: string }).url
    printed.push(line)
  }
  throw new Error(`npm start exited before it printed an address:\n${printed.slice(-20).join('\n')}`)
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}

/** Runs `work` in a copy of the working tree, as a clone would be. The browser is already open, as a user's would be. */
async function inFreshCopy<T>(work: (folder: string, browser: Browser) => Promise<T>): Promise<T> {
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '-z'])
  const folder = mkdtempSync(join(tmpdir(), 'endwell-start-'))
  const browser = await launchChromium()
  try {
    for (const file of stdout.split('\0').filter((each) => each !== '' && existsSync(each))) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      cpSync(file, join(folder, file))
    }
    return await work(folder, browser)
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
