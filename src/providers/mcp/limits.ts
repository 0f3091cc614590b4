/** All limits of a toolset, with their reasons (SC18). Times are in milliseconds. */
export const limits = {
  /** Tools per server. Most models accept no more, and choose badly long before that. */
  tools: 128,
  /** Pages of a tool list. Stops a server that always returns another cursor. */
  pages: 100,
  /** Characters of a tool's name that every model accepts. */
  name: 64,
  /** Bytes of one message from a server. Anything that a model should read is far smaller. */
  message: 4 * 1024 * 1024,
  /** Bytes buffered for a server that does not read its stdin. */
  unread: 1024 * 1024,
  /** Consecutive stdout lines that are not messages. A program that writes more is not an MCP server. */
  garbage: 10_000,
  /** Bytes of stderr that are kept: the last ones say why a server died. */
  stderr: 2_000,
  /** Characters of the stderr line that an error quotes. */
  stderrLine: 200,
  /** Characters of a result that the model gets: it reads them again with every turn. */
  output: 100_000,
  /** Progress updates per call. */
  progress: 1_000,
  /** How often a broken response stream is resumed per call. */
  resumptions: 3,
  /** Default delay before a broken stream is resumed. */
  resumeAfter: 500,
  /** The longest delay that a server may ask for. */
  maxResumeAfter: 10_000,
  /** How long a response stream may stay open after the response. */
  afterResponse: 1_000,
  /** How long to wait for the last output of a process that died. */
  lastOutput: 200,
} as const
