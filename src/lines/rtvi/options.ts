import type { OptionNames } from '../../scope/index.ts'

/** What a client may see. */
export interface RtviOptions {
  /**
   * What a client sees of the agent's tools: only that one runs (`hidden`), their `names`, or `all`, with arguments and results.
   * A client knows the names and arguments of the tools that it runs itself. Default: `hidden`.
   */
  tools?: 'hidden' | 'names' | 'all'
}

export const rtviNames: OptionNames<RtviOptions> = { tools: true }
