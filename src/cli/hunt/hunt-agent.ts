import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EndwellError, OptionError, describeError } from '../../scope/index.ts'
import type { HuntOptions } from '../../testing/index.ts'
import { addToEnvironment, readEnvFile } from '../env-file.ts'
import type { FromHunter, HuntRequest } from './messages.ts'

/** Loads an agent file and hunts it. Never rejects: an error is a message. */
export async function huntAgent(
  { file, ...request }: HuntRequest,
  signal: AbortSignal,
  send: (message: FromHunter) => void,
): Promise<void> {
  try {
    addToEnvironment(readEnvFile())
    const { loadAgent } = await import('../../host/index.ts')
    const { hunt } = await import('../../testing/index.ts')
    const agent = await loadAgent(file)
    const result = await hunt(agent, {
      ...(await ownOptions(file)),
      ...request,
      signal,
      onProgress: (progress) => send({ type: 'progress', ...progress }),
    })
    send({ type: 'result', result })
  } catch (error) {
    const { code = 'HUNT', message } = describeError(error)
    const isOurs = error instanceof EndwellError
    send({
      type: 'error',
      code,
      message: isOurs ? message : `the hunt failed: ${(error as Error).stack ?? message}`,
    })
  }
}

/** The options that the agent file exports as `hunt`: inputs and mocks of tools, and answers of servers. */
async function ownOptions(file: string): Promise<HuntOptions> {
  const { hunt = {} } = (await import(pathToFileURL(resolve(file)).href)) as { readonly hunt?: unknown }
  if (typeof hunt !== 'object' || hunt === null)
    throw new OptionError(`${file}: the export \`hunt\` must be an object: { inputs, tools, fetch }`)
  return hunt
}
