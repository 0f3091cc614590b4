import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { ownVersion } from '../../host/start/version.ts'
import { EndwellError, OptionError, didYouMean } from '../../scope/index.ts'
import { exitCodes, runCommand } from '../command.ts'
import { terminal } from '../terminal.ts'
import { Questions } from './questions.ts'
import { projectFiles, projectLines, projectModels, type ProjectChoices } from './project.ts'

/** `endwell init`: writes the files of a new project. */
export function init(args: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell init',
      summary:
        'Writes a small project with an agent, its test, .env.example, a README and a workflow for CI. It runs without a key.\n' +
        'Asks for what is not given as an option, unless --yes is given or there is no terminal.',
      argument: { name: 'DIR', about: 'the folder, which must be empty or not exist (default: this one)' },
      options: {
        name: { type: 'string', about: 'the name of the package (default: that of the folder)' },
        line: { type: 'string', value: 'line', about: 'who calls: browser or phone (default: browser)' },
        models: {
          type: 'string',
          value: 'models',
          about: 'whose model answers: local, openai or gemini (default: local)',
        },
        yes: { type: 'boolean', about: 'ask nothing' },
      },
      run: async ({ argument, yes, json, ...given }) => {
        const asks = !yes && !json && process.stdin.isTTY
        const questions = asks ? new Questions(process.stdin, process.stdout) : undefined
        try {
          const place = argument ?? (await questions?.text('Folder', 'voice-agent')) ?? '.'
          const folder = emptyFolder(place)
          const choices = await choose(folder, given, questions)
          const files = projectFiles(choices)
          write(folder, files)
          if (json) terminal.json({ folder, files: Object.keys(files), ...choices })
          else terminal.print(...Object.keys(files).map((path) => `  ${path}`), '', ...nextSteps(place))
          return exitCodes.ok
        } finally {
          questions?.close()
        }
      },
    },
    args,
  )
}

/** The folder of the project. Throws if it has files, except for those of git and npm. */
function emptyFolder(place: string): string {
  const folder = resolve(place)
  const found = existsSync(folder) ? readdirSync(folder) : []
  const other = found.find((each) => each !== '.git' && each !== 'node_modules')
  if (other === undefined) return folder
  throw new EndwellError('PROJECT_EXISTS', `${folder} is not empty: it has ${other}. Name another folder`)
}

interface Given {
  readonly name: string | undefined
  readonly line: string | undefined
  readonly models: string | undefined
}

/** What was given as options. The rest is asked or, without questions, has its default. */
async function choose(
  folder: string,
  given: Given,
  questions: Questions | undefined,
): Promise<ProjectChoices> {
  const preset = nameOf(folder)
  const name = given.name ?? (await questions?.text('Name', preset)) ?? preset
  const line = given.line ?? (await questions?.choice('Who calls?', projectLines))
  const models = given.models ?? (await questions?.choice('Whose model?', projectModels))
  return {
    name: packageName(name),
    line: oneOf('line', line, projectLines),
    models: oneOf('models', models, projectModels),
    version: ownVersion(),
  }
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text, { flag: 'wx' })
  }
}

function nextSteps(folder: string): string[] {
  const enter = folder === '.' ? [] : [`  cd ${folder}`]
  return [
    'Next:',
    ...enter,
    '  npm install',
    '  npm run dev     # talk to it in the browser, or change agent.ts while it runs',
    '  npm run chat    # talk to it by text, here',
    '  npm test',
  ]
}

/** A name for the package, made of the folder's. */
function nameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return name === '' ? 'voice-agent' : name
}

function packageName(name: string): string {
  if (/^(@[a-z0-9-][\w.-]*\/)?[a-z0-9-][\w.-]*$/.test(name) && name.length <= 214) return name
  throw new OptionError(`--name must be the name of a package, like front-desk, not '${name}'`)
}

function oneOf<T extends string>(
  option: string,
  given: string | undefined,
  choices: readonly [T, ...T[]],
): T {
  if (given === undefined) return choices[0]
  const found = choices.find((each) => each === given)
  if (found !== undefined) return found
  throw new OptionError(
    `--${option} must be ${choices.join(' or ')}, not '${given}'.${didYouMean(given, choices)}`,
  )
}
