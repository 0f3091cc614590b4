import { redact } from '../../link/index.ts'
import { EndwellError, type Scope } from '../../scope/index.ts'
import { McpToolsetError } from './errors.ts'
import type { McpSettings } from './options.ts'
import type { OwnedTransport } from './owned-transport.ts'
import type { Sdk } from './sdk.ts'
import { errorLine } from './stderr-tail.ts'

/** Converts the errors of the SDK and its transports. */
export class Failures {
  readonly #settings: McpSettings
  readonly #sdk: Sdk

  constructor(settings: McpSettings, sdk: Sdk) {
    this.#settings = settings
    this.#sdk = sdk
  }

  /** An error of the start. Developers read it, so it quotes the server's stderr. */
  ofStart(error: unknown, transport: OwnedTransport, late: boolean): Error {
    const { name, startTimeout } = this.#settings
    if (late) {
      return new McpToolsetError(
        'MCP_START_TIMEOUT',
        `'${name}' was not ready within ${startTimeout} ms. Check the server, or raise startTimeout`,
      )
    }
    if (error instanceof EndwellError) return error
    const line = errorLine(transport.stderr)
    return new McpToolsetError(
      'MCP_START_FAILED',
      `'${name}' could not be started: ${this.#why(error, transport)}${line === '' ? '' : `. Its stderr: ${line}`}`,
      // A system error repeats the arguments, which may contain a key.
      isSystemError(error) ? {} : { cause: error },
    )
  }

  /** An error of a call. The model reads it. */
  ofCall(error: unknown, transport: OwnedTransport, state: Scope['state']): Error {
    const { name } = this.#settings
    if (error instanceof EndwellError) return error
    if (state !== 'live') return new McpToolsetError('MCP_CLOSED', `'${name}' was closed during the call`)
    const why = this.#why(error, transport)
    if (this.#isLost(error))
      return new McpToolsetError(
        'MCP_GONE',
        `'${name}' ended during the call: ${why}. It is unknown how much of the call was done`,
      )
    const code = error instanceof this.#sdk.McpError ? 'MCP_REFUSED' : 'MCP_BAD_ANSWER'
    return new McpToolsetError(code, `'${name}' failed: ${why}`, { cause: error })
  }

  #why(error: unknown, transport: OwnedTransport): string {
    if (this.#isLost(error) || isSystemError(error) || !(error instanceof Error)) return transport.cause
    // The message of a schema error fills a page.
    if (/zod|syntax/i.test(error.name)) return 'its response is malformed'
    const { server } = this.#settings
    return redact(error.message, server.command === undefined ? [] : Object.values(server.env ?? {}))
  }

  #isLost(error: unknown): boolean {
    const { McpError, ErrorCode } = this.#sdk
    const lost: number = ErrorCode.ConnectionClosed
    return error instanceof McpError && error.code === lost
  }
}

/** `ENOENT` and the like: the program could not be run. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
