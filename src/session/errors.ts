import { EndwellError } from '../scope/index.ts'

/** Something was asked of a session that is closing or closed (CL8, CL10). */
export class SessionClosedError extends EndwellError {
  constructor(what: string, state: string, options?: ErrorOptions) {
    super('SESSION_CLOSED', `cannot ${what}: the session is ${state}`, options)
  }
}

/** New work was asked of a session that is finishing its last turn (CL3). */
export class SessionEndingError extends EndwellError {
  constructor(what: string) {
    super('SESSION_ENDING', `cannot ${what}: the session is ending and takes no new work`)
  }
}

/** Speech marked uninterruptible was interrupted without `force` (SP7). */
export class UninterruptibleError extends EndwellError {
  constructor() {
    super('UNINTERRUPTIBLE', 'this speech is not to be interrupted; pass { force: true } if it must be')
  }
}

/** A speech made no sound for so long that it was given up: its voice, or its model, stands still. */
export class SpeechStalledError extends EndwellError {
  constructor(id: number, stallTimeout: number) {
    super(
      'SPEECH_STALLED',
      `speech ${id} stood still for stallTimeout = ${stallTimeout} ms, and was given up`,
    )
  }
}

/** The line or a model did not open in time. */
export class StartTimeoutError extends EndwellError {
  constructor(startTimeout: number) {
    super(
      'START_TIMEOUT',
      `the session did not start within startTimeout = ${startTimeout} ms; its report names what was not open`,
    )
  }
}

export type ToolErrorCode =
  | 'TOOL_UNKNOWN'
  | 'TOOL_INPUT'
  | 'TOOL_TIMEOUT'
  | 'TOOL_CANCELLED'
  | 'TOOL_REFUSED'
  | 'TOOL_LIMIT'

/** A tool call did not come to a result. The message is what the model reads. */
export class ToolError extends EndwellError {
  override readonly code: ToolErrorCode

  constructor(code: ToolErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.code = code
  }
}

/** A handoff could not be made; the session goes on with the agent it had (AG3). */
export class HandoffError extends EndwellError {
  constructor(message: string, options?: ErrorOptions) {
    super('HANDOFF_FAILED', message, options)
  }
}
