/** A time limit in the message of an error. */
const LIMIT = /(?:took longer than|did not answer within answerTimeout =) \d+ ms/

const REAL =
  "it waits for something real, such as a network, a file or setTimeout. Mock it, or rehearse with clock: 'real'"

/**
 * Explains a time limit that code reached in virtual time, which does not wait for anything real. Returns undefined if the
 * message is not about a time limit.
 */
export function explainLimit(message: string): string | undefined {
  const [limit] = LIMIT.exec(message) ?? []
  return limit === undefined ? undefined : `${limit} of virtual time: ${REAL}`
}
