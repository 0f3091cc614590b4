import { agentFile, modelOption } from '../agent-options.ts'
import { openChosen } from '../choose-models.ts'
import { exitCodes, failedWith, runCommand } from '../command.ts'
import { onSignals } from '../conversation/on-signals.ts'
import { loadEnvFile } from '../env-file.ts'
import { exitWell } from '../exit-well.ts'
import { holders } from '../held-open.ts'
import { terminal } from '../terminal.ts'
import { findSoundCommands } from './sound-commands.ts'

/** `endwell talk`: talks to an agent by the microphone of this machine. */
export function talk(args: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell talk',
      summary:
        'Talks to an agent by the microphone and the loudspeaker of this machine, without a server. Use headphones, so that the\n' +
        'agent does not hear itself, or --half-duplex. Sound goes through parec and pacat, arecord and aplay, or rec and play,\n' +
        'whichever is installed. Ctrl-C stops the answer, a second one hangs up. The exit code is 0 only if the session closed\n' +
        'cleanly.',
      argument: agentFile,
      options: {
        model: modelOption,
        recorder: {
          type: 'string',
          value: 'command',
          about: 'a program that writes raw sound to its output: PCM16, 16 kHz, mono',
        },
        player: { type: 'string', value: 'command', about: 'a program that plays such sound from its input' },
        'half-duplex': {
          type: 'boolean',
          about: 'mute the microphone while the agent speaks: it cannot be interrupted then',
        },
      },
      run: async ({ argument, json, ...given }) => {
        const before = holders()
        return await exitWell(await call(argument!, json, given), before, json)
      },
    },
    args,
  )
}

interface Given {
  readonly model: string | undefined
  readonly recorder: string | undefined
  readonly player: string | undefined
  readonly 'half-duplex': boolean
}

async function call(path: string, json: boolean, given: Given): Promise<number> {
  try {
    const { recorder, player, model, 'half-duplex': halfDuplex } = given
    const { findProgram } = await import('../../providers/find-program.ts')
    // Before the agent file is loaded: most machines without a microphone are servers.
    const has = (program: string): boolean => findProgram(program) !== undefined
    const commands = findSoundCommands({ recorder, player, has })
    await loadEnvFile()
    const { file, models } = await openChosen(path, model)
    const { modelNames } = await import('../../host/index.ts')
    const { MicrophoneLine } = await import('./microphone-line.ts')
    const { startSound } = await import('./sound-program.ts')
    const { talk: converse } = await import('./talk.ts')
    const names = modelNames(models)
    const programs = `${commands.recorder.program} and ${commands.player.program}`
    if (json) terminal.json({ type: 'begins', name: file.name, models: names, ...commands })
    else {
      const listed = Object.entries(names).map(([what, which]) => `${what} ${which}`)
      const advice = halfDuplex
        ? 'The microphone is muted while the agent speaks.'
        : 'Use headphones, or --half-duplex.'
      terminal.print(`${file.name} · ${listed.join(' · ')} · sound by ${programs}`, advice)
    }
    const line = new MicrophoneLine({ commands, start: startSound, halfDuplex })
    const { clean } = await converse({ file, models, line, json, onSignal: onSignals })
    return clean ? exitCodes.ok : exitCodes.failed
  } catch (error) {
    return failedWith(error, json)
  }
}
