import { agentFile, modelOption } from '../agent-options.ts'
import { openChosen } from '../choose-models.ts'
import { exitCodes, failedWith, runCommand } from '../command.ts'
import { loadEnvFile } from '../env-file.ts'
import { exitWell } from '../exit-well.ts'
import { holders } from '../held-open.ts'
import { terminal } from '../terminal.ts'
import { onSignals } from './on-signals.ts'

/** `endwell chat`: talks to an agent by text, in the terminal. */
export function chat(args: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell chat',
      summary:
        'Talks to an agent by text, in the terminal, without a server and without sound: what you type is what the caller says.\n' +
        'Ctrl-C stops the answer, a second one hangs up; so does Ctrl-D. If the input is a pipe, each of its lines is said when\n' +
        'the agent has finished, and the end of the input hangs up. The exit code is 0 only if the session closed cleanly.',
      argument: agentFile,
      options: {
        model: modelOption,
      },
      run: async ({ argument, model, json }) => {
        const before = holders(process.stdin)
        return await exitWell(await call(argument!, model, json), before, json)
      },
    },
    args,
  )
}

async function call(path: string, model: string | undefined, json: boolean): Promise<number> {
  try {
    await loadEnvFile()
    const { file, models } = await openChosen(path, model)
    const { modelNames } = await import('../../host/index.ts')
    const { chat: converse } = await import('./chat.ts')
    const { textModels } = await import('./text-models.ts')
    const names = modelNames(textModels(models))
    const listed = Object.entries(names).map(([what, which]) => `${what} ${which}`)
    if (json) terminal.json({ type: 'begins', name: file.name, models: names })
    else terminal.print(`${file.name} · ${listed.join(' · ')}`)
    const { clean } = await converse({
      file,
      models,
      json,
      input: process.stdin,
      output: process.stdout,
      onSignal: onSignals,
    })
    return clean ? exitCodes.ok : exitCodes.failed
  } catch (error) {
    return failedWith(error, json)
  }
}
