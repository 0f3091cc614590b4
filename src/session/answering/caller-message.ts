import { EndwellError } from '../../scope/index.ts'

/** A message from the program at the caller's end of the line: a page, an app. */
export interface CallerMessage {
  /** What the message is about, as the program names it. */
  readonly type: string
  /** Any JSON, as the program sent it: check it before you use it. */
  readonly data: unknown
}

/** A message of the caller's program could not be answered (PG1). */
export class MessageError extends EndwellError {
  constructor(agent: string, unhandled: boolean) {
    const why = unhandled ? 'takes no messages: give it onMessage' : 'could not answer a message of the page'
    super(unhandled ? 'MESSAGE_UNHANDLED' : 'MESSAGE_FAILED', `'${agent}' ${why}`)
  }
}
