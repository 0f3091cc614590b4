import { EndwellError, clip } from '../scope/index.ts'

/** A method was called on a session that is closing, closed or not started (CL8, CL10). */
export class SessionClosedError extends EndwellError {
  constructor(what: string, state: string, options?: ErrorOptions) {
    super('SESSION_CLOSED', `cannot ${what}: the session is ${state}`, options)
  }
}

/** New work was requested from a session that is finishing its last turn (CL3). */
export class SessionEndingError extends EndwellError {
  constructor(what: string) {
    super('SESSION_ENDING', `cannot ${what}: the session is ending and takes no new work`)
  }
}

/** Speech marked uninterruptible was interrupted without `force` (SP7). */
export class UninterruptibleError extends EndwellError {
  constructor() {
    super('UNINTERRUPTIBLE', 'this speech is uninterruptible; pass { force: true } to interrupt it anyway')
  }
}

/** A speech failed because its voice or its model produced no sound for `stallTimeout`. */
export class SpeechStalledError extends EndwellError {
  constructor(id: number, stallTimeout: number) {
    super('SPEECH_STALLED', `speech ${id} failed: no sound for stallTimeout = ${stallTimeout} ms`)
  }
}

/** A model did not begin its answer, or did not go on with it, in time (FA1). */
export class AnswerTimeoutError extends EndwellError {
  constructor(part: string, answerTimeout: number) {
    super(
      'ANSWER_TIMEOUT',
      `the ${part} did not answer within answerTimeout = ${answerTimeout} ms: check the model, raise answerTimeout, or ` +
        'configure a fallback',
    )
  }
}

/** A voice made no sound for the words it was given (FA3). */
export class NoSoundError extends EndwellError {
  constructor(text: string) {
    super('NO_SOUND', `the voice made no sound for '${clip(text, 60)}': check its voice, model and language`)
  }
}

/** A call could not be handed over to a person (TR1). */
export class TransferError extends EndwellError {
  constructor(code: 'TRANSFER_ACTIVE' | 'TRANSFER_UNSUPPORTED', message: string) {
    super(code, `cannot transfer the call: ${message}`)
  }
}

/** The conversation with a person, before a caller is handed over to that person, has failed (TR4). */
export class ConsultationError extends EndwellError {
  constructor(reason: string, why = 'no reason known') {
    super('CONSULTATION_FAILED', `the conversation with the person ended with '${reason}': ${why}`)
  }
}

/** A graceful end was cut short (CL3). */
export class EndCutError extends EndwellError {
  constructor(by: 'stallTimeout' | 'endTimeout') {
    const why = by === 'stallTimeout' ? 'nothing happened for' : 'it took longer than'
    super(
      'END_CUT',
      `the session did not end gracefully: ${why} ${by}; its report names what was still running`,
    )
  }
}

/** The line or a model did not open within `startTimeout`. */
export class StartTimeoutError extends EndwellError {
  constructor(startTimeout: number, waiting: readonly string[]) {
    const which = waiting.join(', ') || 'the session'
    super(
      'START_TIMEOUT',
      `${which} did not open within startTimeout = ${startTimeout} ms: check the key and the network, or raise startTimeout`,
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
  | 'TOOL_UNSUPPORTED'

/** A tool call failed. The model reads the message. */
export class ToolError extends EndwellError {
  override readonly code: ToolErrorCode

  constructor(code: ToolErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.code = code
  }
}

/** A handoff failed. The session goes on with the agent it had (AG3). */
export class HandoffError extends EndwellError {
  constructor(message: string, options?: ErrorOptions) {
    super('HANDOFF_FAILED', message, options)
  }
}
