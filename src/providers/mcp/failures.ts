import { EndwellError, type Scope } from '../../scope/index.ts'
import { gist } from './complaints.ts'
import { McpToolsetError } from './errors.ts'
import type { McpSettings } from './options.ts'
import type { OwnedTransport } from './owned-transport.ts'
import type { Sdk } from './sdk.ts'

/** Makes errors for people, and for models, of what the SDK and its transports throw. */
export class Failures {
  readonly #settings: McpSettings
  readonly #sdk: Sdk

  constructor(settings: McpSettings, sdk: Sdk) {
    this.#settings = settings
    this.#sdk = sdk
  }

  /** A server could not be started. People read this: they are told what the server said. */
  ofStart(error: unknown, transport: OwnedTransport, late: boolean): Error {
    const { name, startTimeout } = this.#settings
    if (late) {
      return new McpToolsetError(
        'MCP_START_TIMEOUT',
        `'${name}' was not ready within ${startTimeout} ms. Look at the server, or raise startTimeout`,
      )
    }
    if (error instanceof EndwellError) return error
    const said = gist(transport.complaints)
    return new McpToolsetError(
      'MCP_START_FAILED',
      `'${name}' could not be started: ${this.#why(error, transport)}${said === '' ? '' : `. It said: ${said}`}`,
      // An error of the system repeats the arguments, and there may be a key among them.
      isOfSystem(error) ? {} : { cause: error },
    )
  }

  /** A call has failed. The model reads this. */
  ofCall(error: unknown, transport: OwnedTransport, state: Scope['state']): Error {
    const { name } = this.#settings
    if (error instanceof EndwellError) return error
    if (state !== 'live')
      return new McpToolsetError('MCP_CLOSED', `'${name}' was closed in the middle of the call`)
    const why = this.#why(error, transport)
    if (this.#isLost(error))
      return new McpToolsetError('MCP_GONE', `'${name}' is gone: ${why}. Nobody knows how far the call came`)
    const code = error instanceof this.#sdk.McpError ? 'MCP_REFUSED' : 'MCP_BAD_ANSWER'
    return new McpToolsetError(code, `'${name}' failed: ${why}`, { cause: error })
  }

  #why(error: unknown, transport: OwnedTransport): string {
    if (this.#isLost(error) || isOfSystem(error) || !(error instanceof Error)) return transport.cause
    // What a schema has to say of a wrong answer fills a page.
    return /zod|syntax/i.test(error.name) ? 'its answer cannot be read' : error.message
  }

  #isLost(error: unknown): boolean {
    const { McpError, ErrorCode } = this.#sdk
    const lost: number = ErrorCode.ConnectionClosed
    return error instanceof McpError && error.code === lost
  }
}

/** `ENOENT` and the like: a program could not be run. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
