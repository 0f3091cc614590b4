import { existsSync } from 'node:fs'
import { Reception, modelNames, ownVersion, type AgentFile, type ReceptionOptions } from '../host/index.ts'
import { hasLocalRoom } from '../providers/local/index.ts'
import type { Choice } from './choose-models.ts'
import { injectedFaults } from './injected-faults.ts'
import { page } from './page.ts'

export interface DevOptions extends Pick<
  ReceptionOptions,
  | 'port'
  | 'host'
  | 'secret'
  | 'phone'
  | 'maxCalls'
  | 'priceList'
  | 'recordings'
  | 'logger'
  | 'began'
  | 'ended'
> {
  readonly file: AgentFile
  readonly choice: Choice
  /** `production` has no fault switches. Default: `dev`. */
  readonly mode?: 'demo' | 'dev' | 'production'
}

/** Serves an agent and the page to talk to it, on a port of this machine, with faults that the page can inject. */
export async function startDev({ file, choice, mode = 'dev', ...options }: DevOptions): Promise<Reception> {
  const { models } = choice
  return await Reception.start({
    ...options,
    file,
    models,
    info: infoOf(file, choice, mode),
    hasRoom: hasLocalRoom,
    ...(existsSync(page) ? { page } : {}),
    ...(mode === 'production' ? {} : injectedFaults()),
  })
}

/** What the page shows about the agent. */
export function infoOf(
  { name }: AgentFile,
  { models, phrases }: Choice,
  mode: 'demo' | 'dev' | 'production',
): ReceptionOptions['info'] {
  return { name, version: ownVersion(), mode, models: modelNames(models()), ...(phrases ? { phrases } : {}) }
}

/** Resolves on the first SIGINT or SIGTERM. The second one calls `abort`. */
export function untilSignal(abort: () => void): Promise<string> {
  return new Promise((resolve) => {
    const received = (signal: string): void => {
      for (const name of signals) process.off(name, received)
      for (const name of signals) process.once(name, abort)
      resolve(signal)
    }
    for (const name of signals) process.on(name, received)
  })
}

const signals = ['SIGINT', 'SIGTERM'] as const
