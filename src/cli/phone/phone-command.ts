import type { AudioFrame } from '../../audio/index.ts'
import { OptionError } from '../../scope/index.ts'
import { openChosen } from '../choose-models.ts'
import { exitCodes, runCommand } from '../command.ts'
import { loadEnvFile } from '../env-file.ts'
import { exitWell } from '../exit-well.ts'
import { holders } from '../held-open.ts'
import { terminal } from '../terminal.ts'
import { expectedOf } from './expected.ts'
import type { RingOptions } from './ring.ts'

/** `endwell phone`: calls an agent with a recording, or with sentences, and checks its answers. */
export function phone(rest: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell phone',
      summary:
        'Calls an agent as a phone carrier does, and prints what was understood and said. The recording is split at its pauses, and\n' +
        'each part is played when the agent has finished speaking. What the caller hears is written to a file. With\n' +
        'TWILIO_AUTH_TOKEN and PUBLIC_URL in the environment, the call is signed. The exit code is 0 only if the agent answered,\n' +
        'said what was expected, and its session closed cleanly.',
      argument: {
        name: 'FILE.wav',
        about: 'the recording of the caller: PCM16, 8 to 48 kHz, with pauses between utterances',
      },
      options: {
        say: {
          type: 'list',
          value: 'text',
          about: 'what the caller says, with the local voice, instead of a recording; may be repeated',
        },
        expect: {
          type: 'list',
          value: 'text',
          about: 'what the agent must say: words, or a regular expression like /nine|9/i; may be repeated',
        },
        agent: {
          type: 'string',
          value: 'file',
          about: 'an agent file to serve for this call (default: call the server at --url)',
        },
        model: {
          type: 'string',
          about: 'with --agent: local, openai or gemini (default: by the key in the environment)',
        },
        url: { type: 'string', about: 'the URL of the server', default: 'http://127.0.0.1:4600' },
        out: { type: 'string', about: 'the file to write what the caller hears', default: 'heard.wav' },
        quiet: {
          type: 'number',
          about: 'milliseconds of silence after which the agent counts as finished',
          default: 2_000,
          range: [100, 60_000],
        },
      },
      run: async ({ argument, say = [], expect = [], agent, model, url, out, quiet, json }) => {
        if (argument === undefined && say.length === 0) {
          terminal.complain('Missing FILE.wav, or --say', 'See endwell phone --help')
          return exitCodes.misuse
        }
        if (argument !== undefined && say.length > 0)
          throw new OptionError('the caller has a recording or says something with --say, not both')
        const before = holders()
        await loadEnvFile()
        const expected = expect.map(expectedOf)
        const { ring } = await import('./ring.ts')
        const voice = argument ?? (await voiceOf(say))
        const call = { voice, out, quiet, json, expected }
        const { ok } =
          agent === undefined ? await ring({ ...call, url }) : await ringAgent(call, agent, model)
        const code = ok ? exitCodes.ok : exitCodes.failed
        return agent === undefined ? code : await exitWell(code, before, json)
      },
    },
    rest,
  )
}

async function voiceOf(texts: readonly string[]): Promise<readonly AudioFrame[]> {
  const { spokenVoice } = await import('./caller-voice.ts')
  return await spokenVoice(texts)
}

/** Serves an agent for one call. */
async function ringAgent(
  call: Omit<RingOptions, 'url'>,
  path: string,
  model: string | undefined,
): Promise<{ readonly ok: boolean }> {
  const { file, choice } = await openChosen(path, model)
  const { startDev } = await import('../dev.ts')
  const { ring } = await import('./ring.ts')
  const { terminalLog } = await import('../terminal-log.ts')
  const logger = terminalLog({ level: 'warn', json: call.json, to: terminal })
  const running = await startDev({ file, choice, mode: 'production', port: 0, logger })
  let ok = false
  try {
    // The server is our own: it needs neither a secret nor a signature.
    ok = (await ring({ ...call, url: running.url, stays: false, env: {} })).ok
  } finally {
    const { clean } = await running.close()
    ok &&= clean
  }
  return { ok }
}
