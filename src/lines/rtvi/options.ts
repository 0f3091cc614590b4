import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'

/** What a client may see. */
export interface RtviOptions {
  /**
   * What a client sees of the agent's tools: only that one runs (`hidden`), their `names`, or `all`, with arguments and results.
   * A client knows the names and arguments of the tools that it runs itself. Default: `hidden`.
   */
  tools?: 'hidden' | 'names' | 'all'
}

export const rtviNames: OptionNames<RtviOptions> = { tools: true }

const shown: ReadonlySet<unknown> = new Set(['hidden', 'names', 'all'])

export function checkRtviOptions(options: RtviOptions): void {
  checkOptions('rtvi', options, rtviNames)
  checkTools(options)
}

export function checkTools({ tools }: RtviOptions): void {
  if (tools !== undefined && !shown.has(tools))
    throw new OptionError(`tools must be hidden, names or all, not '${tools}'`)
}
