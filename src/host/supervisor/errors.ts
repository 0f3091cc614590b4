import { EndwellError } from '../../scope/index.ts'
import type { AnswerError } from './messages.ts'

/** The supervisor has ended: the worker closes its calls, and exits. */
export class SupervisorLostError extends EndwellError {
  constructor() {
    super('SUPERVISOR_LOST', 'the supervisor of this worker has ended')
  }
}

/** The supervisor could not do what a worker requested. */
export class RequestFailedError extends EndwellError {
  /** The supervisor's own error. */
  readonly answer: AnswerError

  constructor(answer: AnswerError) {
    super('REQUEST_FAILED', answer.message)
    this.answer = answer
  }
}

/** The event loop of the process was blocked, so that no call in it could go on. */
export class LoopBlockedError extends EndwellError {
  constructor(ms: number, culprit: string | undefined) {
    super(
      'LOOP_BLOCKED',
      `the event loop was blocked for ${Math.round(ms)} ms by ${culprit ?? 'unknown code'}`,
    )
  }
}

/** Describes an error to another process. */
export function answerErrorOf(error: unknown): AnswerError {
  if (!(error instanceof Error)) return { message: String(error) }
  const { message, code } = error as Error & { code?: unknown }
  return typeof code === 'string' ? { message, code } : { message }
}
