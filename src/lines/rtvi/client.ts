import { clip } from '../../scope/index.ts'
import { label, protocolVersion } from './client-message.ts'
import { limits } from './limits.ts'

/** The client at the other end, as far as messages to it are concerned. */
export class RtviClient {
  readonly #write: (json: string) => void
  #version = protocolVersion
  /** Messages that wait for `bot-ready`. Undefined once it was sent. */
  #early: string[] | undefined = []

  constructor(write: (json: string) => void) {
    this.#write = write
  }

  /** Whether the client speaks version 1, which knows less about what was heard. */
  get isOld(): boolean {
    return this.#version.startsWith('1.')
  }

  /** The client says its version. It is answered with ours, or with its own if that is version 1, which does not know ours. */
  speaks(version: string): void {
    this.#version = /^1(\.\d{1,5}){1,2}$/.test(version) ? version : protocolVersion
  }

  /** Says that the agent is ready. Before, a client does not know our version, and takes other messages for those of version 1. */
  ready(id: string | undefined): void {
    const early = this.#early ?? []
    this.#early = undefined
    this.send('bot-ready', { version: this.#version, about: { library: 'endwell' } }, id)
    for (const json of early) this.#write(json)
  }

  /** Sends a message, once the client knows that the agent is ready. Returns false, and sends nothing, if it is too large or cannot be written as JSON. */
  send(type: string, data?: unknown, id?: string): boolean {
    // JSON leaves out what is undefined.
    const json = asJson({ label, type, id, data })
    if (json === undefined || json.length > limits.message) return false
    if (!this.#early) this.#write(json)
    else if (this.#early.length < limits.early) this.#early.push(json)
    return true
  }

  /** Answers a message that cannot be handled. */
  refuse(error: string, id: string | undefined): void {
    this.send('error-response', { error: clip(error, limits.tool) }, id)
  }
}

function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
