import type { Locator, Page, Request, WebSocket } from 'playwright-core'
import { Resampler, bytesFromSamples, samplesFromBytes } from '../../src/audio/index.ts'
import { clip } from '../fixtures/speech.ts'
import type { ClientNetwork } from './network.ts'

/** The pages of `pages/`: Pipecat's client for the web over WebSocket and over WebRTC, and its hooks for React. */
export const clientNames = ['web', 'webrtc', 'react'] as const
export type ClientName = (typeof clientNames)[number]

/**
 * Errors of the clients themselves. If a client is so slow to disconnect that the server does it first, it ends its recorder twice.
 */
const knownErrors: ReadonlySet<string> = new Set(["Cannot read properties of null (reading 'disconnect')"])

/** How long to wait for a page, in milliseconds. Only a hang takes this long, even on a busy machine. */
const PATIENCE = 60_000

/** The page of a client, and what a caller does with it. */
export class ClientPage implements AsyncDisposable {
  readonly client: ClientName
  readonly network: ClientNetwork
  readonly #page: Page
  /** Uncaught errors of the page. */
  readonly errors: string[] = []
  /** The id of the call. */
  call = ''

  constructor(client: ClientName, page: Page, network: ClientNetwork) {
    this.client = client
    this.#page = page
    this.network = network
    page.setDefaultTimeout(PATIENCE)
    page.on('pageerror', ({ message }) => {
      if (!knownErrors.has(message)) this.errors.push(message)
    })
    const connects = (to: WebSocket | Request): void => {
      this.call = callOf(to.url()) ?? this.call
    }
    page.on('websocket', connects)
    page.on('request', connects)
  }

  async goto(url: string): Promise<void> {
    await this.#page.goto(url)
  }

  /** Calls, and waits until the agent speaks. */
  async calls(): Promise<void> {
    await this.#press('Call')
    await this.log.getByText('Bright Dental').first().waitFor()
  }

  /** Calls, and returns the reason that the page shows for not being connected. */
  async isRefused(): Promise<string> {
    await this.#press('Call')
    return await this.problem()
  }

  async hangsUp(): Promise<void> {
    await this.#press('Hang up')
  }

  async types(text: string): Promise<void> {
    const input = this.#page.getByLabel('Type instead of speaking')
    await input.fill(text)
    await input.press('Enter')
  }

  /** Says words of which there is a recording. */
  async says(words: string): Promise<void> {
    await this.run(`ears.say('${recordingOf(words)}')`)
  }

  /** Says words as soon as the page has played so many milliseconds of sound, however long the page takes to answer us. */
  async willSay(words: string, after: number): Promise<void> {
    await this.run(`void ears.sounded(${after}).then(() => ears.say('${recordingOf(words)}'))`)
  }

  /** Waits until the page shows that these words were said by the caller, or heard. */
  async shows(words: string): Promise<void> {
    await this.log.getByText(words).first().waitFor()
  }

  /** Waits until the client says that it is disconnected. Over WebRTC, it calls a lost connection an error. */
  async isDisconnected(): Promise<void> {
    await this.#page
      .getByRole('status')
      .getByText(/^(disconnected|error)$/)
      .waitFor()
  }

  /** Waits for an error, and returns it. */
  async problem(): Promise<string> {
    const alert = this.#page.getByRole('alert')
    await alert.filter({ hasText: /\w/ }).waitFor()
    return await alert.innerText()
  }

  /** The entries of the log. */
  async words(): Promise<string[]> {
    return await this.log.getByRole('listitem').allInnerTexts()
  }

  /** Everything that was played, at 16 kHz. */
  async heard(): Promise<Int16Array> {
    const samples = samplesFromBytes(Buffer.from(await this.run<string>('ears.heard()'), 'base64'))
    return new Resampler({ from: 24_000, to: 16_000 }).push(samples)
  }

  run<T = void>(script: string): Promise<T> {
    return this.#page.evaluate(script) as Promise<T>
  }

  async reloads(): Promise<void> {
    await this.#page.reload()
  }

  async closesTab(): Promise<void> {
    await this.#page.close()
  }

  get log(): Locator {
    return this.#page.getByRole('log')
  }

  async #press(name: string): Promise<void> {
    await this.#page.getByRole('button', { name, exact: true }).click()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#page.context().close()
    await this.network.close()
  }
}

function recordingOf(words: string): string {
  return Buffer.from(bytesFromSamples(clip(words).samples)).toString('base64')
}

/** The id of the call that a socket or an offer is for, which is in its token. */
function callOf(url: string): string | undefined {
  const [claims = ''] = new URL(url).searchParams.get('token')?.split('.') ?? []
  if (claims === '') return undefined
  const { data } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { data: { id: string } }
  return data.id
}
