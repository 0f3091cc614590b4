import { collectMissingPackages } from '../../providers/find-package.ts'
import type { Models } from '../../session/index.ts'
import type { AgentFile } from '../agent-file.ts'
import { checkModels } from './check-models.ts'
import { PackagesMissingError } from './errors.ts'
import { loadAgent } from './load-agent.ts'

export interface OpenedAgent {
  readonly file: AgentFile
  /** Made for the check, and never opened. */
  readonly models: Models
}

/**
 * Loads an agent file, and makes its agent and its models once, so that mistakes are reported before the first call (HO11). All
 * packages that are missing are named in one error, whichever of them is needed first.
 */
export async function openAgent(
  path: string,
  choose: (file: AgentFile) => Promise<() => Models> = async ({ models }) => models,
): Promise<OpenedAgent> {
  const stop = collectMissingPackages()
  try {
    const file = await loadAgent(path)
    const models = await checkModels(file, await choose(file))
    const missing = stop()
    if (missing.length > 0) throw new PackagesMissingError(path, missing)
    return { file, models }
  } catch (error) {
    const imported = error instanceof PackagesMissingError ? error.packages : []
    const missing = [...new Set([...imported, ...stop()])]
    // Another error may be a consequence of a missing package.
    throw missing.length === 0 ? error : new PackagesMissingError(path, missing, { cause: error })
  }
}
