import { sampleRates, type SampleRate } from '../../audio/index.ts'
import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'

/** What a client may see, and how it plays. */
export interface RtviOptions {
  /**
   * What a client sees of the agent's tools: only that one runs (`hidden`), their `names`, or `all`, with arguments and results.
   * A client knows the names and arguments of the tools that it runs itself. Default: `hidden`.
   */
  tools?: 'hidden' | 'names' | 'all'
  /**
   * The `playerSampleRate` of the clients' `WebSocketTransport`, which they do not send. A client with another rate plays too fast or
   * too slowly. Default: 24,000, as in the transport.
   */
  playerSampleRate?: SampleRate
}

export const rtviNames: OptionNames<RtviOptions> = { tools: true, playerSampleRate: true }

const shown: ReadonlySet<unknown> = new Set(['hidden', 'names', 'all'])

export function checkRtviOptions(options: RtviOptions): void {
  checkOptions('rtvi', options, rtviNames)
  checkRtviValues(options)
}

export function checkRtviValues({ tools, playerSampleRate }: RtviOptions): void {
  if (tools !== undefined && !shown.has(tools))
    throw new OptionError(`tools must be hidden, names or all, not '${tools}'`)
  if (playerSampleRate !== undefined && !sampleRates.includes(playerSampleRate))
    throw new OptionError(
      `playerSampleRate must be one of ${sampleRates.join(', ')}, not ${playerSampleRate}`,
    )
}
