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
