import { clip } from '../../scope/index.ts'
import { label, protocolVersion } from './client-message.ts'
import { limits } from './limits.ts'

/** The client at the other end, as far as messages to it are concerned. */
export class RtviClient {
  readonly #write: (json: string) => void
  #version = protocolVersion

  constructor(write: (json: string) => void) {
    this.#write = write
  }

  /** The version to answer with: ours, or that of a client of version 1, which does not know ours. */
  get version(): string {
    return this.#version
  }

  /** Whether the client speaks version 1, which knows less about what was heard. */
  get isOld(): boolean {
    return this.#version.startsWith('1.')
  }

  speaks(version: string): void {
    this.#version = /^1(\.\d{1,5}){1,2}$/.test(version) ? version : protocolVersion
  }

  /** Sends a message. Returns false, and sends nothing, if it is too large or cannot be written as JSON. */
  send(type: string, data?: unknown, id?: string): boolean {
    // JSON leaves out what is undefined.
    const json = asJson({ label, type, id, data })
    if (json === undefined || json.length > limits.message) return false
    this.#write(json)
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
