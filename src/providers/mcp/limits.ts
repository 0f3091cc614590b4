/** Every limit of a toolset, by name, with its reason (SC18). Times are milliseconds. */
export const limits = {
  /** Tools a server may bring. Most models take no more, and choose badly long before. */
  tools: 128,
  /** Pages of a list of tools: a server that always knows a next one would be asked for ever. */
  pages: 100,
  /** Characters of a tool's name that every model takes. */
  name: 64,
  /** Bytes of one message of a server. What a model is to read is far smaller. */
  message: 4 * 1024 * 1024,
  /** Bytes that may wait for a server that does not read its input. */
  unread: 1024 * 1024,
  /** Lines in a row that are no messages. A program that writes more than this is no server, or has lost its mind. */
  garbage: 10_000,
  /** Bytes of a server's complaints that are kept: the last ones tell why it died. */
  complaints: 2_000,
  /** Characters of the one line of them that an error repeats. */
  gist: 200,
  /** Characters of a result that the model is given: it reads them again with every turn. */
  output: 100_000,
  /** Updates that one call may send. */
  progress: 1_000,
  /** How often the answer to one call is asked for again after its stream broke. */
  resumptions: 3,
  /** From a broken stream to the next try, unless the server says when; and the longest it may say. */
  resumeAfter: 500,
  longestResumeAfter: 10_000,
  /** How long the stream of an answer may stay open after the answer. */
  afterAnswer: 1_000,
  /** How long the last output of a process that died may be on its way. */
  lastOutput: 200,
} as const
