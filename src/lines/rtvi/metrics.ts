import type { Usage } from '../../parts/index.ts'
import type { SessionReport, TurnLatency } from '../../session/index.ts'

/** A figure of one part. Times are in seconds. */
interface Figure {
  readonly processor: string
  readonly value: number
}

/** The data of a `metrics` message. */
export interface RtviMetrics {
  readonly ttfb?: readonly Figure[]
  readonly processing?: readonly Figure[]
  readonly characters?: readonly Figure[]
  readonly tokens?: readonly {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly total_tokens: number
  }[]
}

/** How long the caller waited for an answer: each stage as the time of a processor, and all of them as that of `turn`. */
export function latencyMetrics({ ms, stages }: TurnLatency): RtviMetrics {
  const seconds = (processor: string, value: number): Figure => ({ processor, value: value / 1000 })
  return {
    ttfb: Object.entries(stages).map(([stage, value]) => seconds(stage, value)),
    processing: [seconds('turn', ms)],
  }
}

/** Tells what a session has used since the last time: clients add up what they get. */
export class UsageMeter {
  #last: Readonly<Record<string, Usage>> = {}

  /** Undefined if neither tokens nor characters were used. */
  next({ models }: SessionReport['usage']): RtviMetrics | undefined {
    let [input, output] = [0, 0]
    const characters: Figure[] = []
    for (const [processor, usage] of Object.entries(models)) {
      const last = this.#last[processor] ?? {}
      input += (usage.inputTokens ?? 0) - (last.inputTokens ?? 0)
      output += (usage.outputTokens ?? 0) - (last.outputTokens ?? 0)
      const value = (usage.characters ?? 0) - (last.characters ?? 0)
      if (value > 0) characters.push({ processor, value })
    }
    this.#last = models
    if (input + output + characters.length === 0) return undefined
    const tokens = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
    return {
      ...(input + output > 0 ? { tokens: [tokens] } : {}),
      ...(characters.length > 0 ? { characters } : {}),
    }
  }
}
