import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import type { MockTool } from '../mock-tools.ts'
import type { ToolInputs } from './played-model.ts'
import type { AnswerFetch } from './servers.ts'

/** How far a hunt has come. */
export interface HuntProgress {
  /** Calls that were played, and all that are planned. */
  readonly played: number
  readonly planned: number
  readonly findings: number
  /** The number of the call that begins now. */
  readonly case: number
}

export interface HuntOptions {
  /** Another seed tries other moments and inputs. Default: 1. */
  seed?: number
  /** At how many moments each conversation is hung up. Default: 60. */
  moments?: number
  /** How long the hunt may take, in real milliseconds. Default: 60 s. */
  limit?: number
  /** Plays only the case of this number, and records more about it. */
  case?: number
  /** The numbers of cases that are not played. Default: none. */
  skip?: readonly number[]
  /** Inputs for tools by name. Default: made from the schemas of the tools. */
  inputs?: ToolInputs
  /** Mocks of tools by name: for those that must not be run. */
  tools?: Readonly<Record<string, MockTool>>
  /** Answers requests to other machines, instead of sending them. Default: status 200 with an empty JSON object. */
  fetch?: AnswerFetch
  /** Whether the agent's code may reach other machines. Default: false. Its models are replaced in any case. */
  online?: boolean
  /** Ends the hunt after the current call. */
  signal?: AbortSignal
  onProgress?: (progress: HuntProgress) => void
}

const optionNames: OptionNames<HuntOptions> = {
  seed: true,
  moments: true,
  limit: true,
  case: true,
  skip: true,
  inputs: true,
  tools: true,
  fetch: true,
  online: true,
  signal: true,
  onProgress: true,
}

export function huntSettings(options: HuntOptions) {
  checkOptions('hunt', options, optionNames)
  const settings = {
    seed: 1,
    moments: 60,
    limit: 60_000,
    skip: [] as readonly number[],
    online: false,
    ...options,
  }
  for (const name of ['seed', 'moments', 'limit', 'case'] as const) {
    const value = settings[name]
    if (value === undefined || (Number.isFinite(value) && value >= 0)) continue
    throw new OptionError(`hunt: ${name} must be a number of 0 or more; it is ${String(value)}`)
  }
  return settings
}
