import { checkAgent, type DialledModel } from '../../host/index.ts'
import { EndwellError, describeError } from '../../scope/index.ts'
import { exitCodes, runCommand } from '../command.ts'
import type { Configuration } from '../configuration.ts'
import { nodeProblem } from '../node-version.ts'
import { optionsOf, readConfiguration } from '../read-configuration.ts'
import { startSettings } from '../settings.ts'
import { conflicts, risks } from '../start-command.ts'
import { notInstalled, startPackages } from '../start-packages.ts'
import { terminal } from '../terminal.ts'
import { checkStorage } from './check-storage.ts'
import { checkPublicUrl } from './check-public-url.ts'
import { lineOf, ok, runCheck, skipped, warning, wrong, type Finding } from './finding.ts'

export function doctor(args: readonly string[]): Promise<void> {
  return runCommand(
    {
      name: 'endwell doctor',
      summary:
        'Checks what `endwell start` needs, with the same options and settings: Node, packages, the agent file and its models,\n' +
        'the port, the public URL, the data folder and the database. Changes nothing. The exit code is 1 if something is wrong.',
      argument: { name: 'FILE', about: 'the agent file', default: 'agent.ts' },
      options: {
        ...optionsOf(startSettings),
        dial: {
          type: 'boolean',
          about:
            'also connect to the vendor of every model, at most 5 s each, and say what it answers. Costs a few tokens per LLM',
        },
      },
      run: async ({ argument, json, dial, ...given }) => {
        const findings: Finding[] = []
        const report = (found: readonly Finding[]): void => {
          findings.push(...found)
          if (!json) terminal.print(...found.map(lineOf))
        }
        const configuration = readConfiguration(startSettings, given)
        const { values } = configuration
        report([await runCheck('Node', async () => checkNode())])
        report(checkSettings(configuration))
        report([await runCheck('packages', async () => checkPackages(String(argument), values.databaseUrl))])
        report(await checkFile(String(argument), dial))
        const { port = 4_600, host = '127.0.0.1', publicUrl, data = './endwell-data', databaseUrl } = values
        report(await checkPublicUrl({ port, host, publicUrl }))
        report(await checkStorage(data, databaseUrl))
        const good = findings.every(({ state }) => state !== 'wrong')
        if (json) terminal.json({ ok: good, checks: findings })
        await terminal.flush()
        // A check that did not end in time may hold the process open.
        return process.exit(good ? exitCodes.ok : exitCodes.failed)
      },
    },
    args,
  )
}

function checkNode(): Omit<Finding, 'name'> {
  const problem = nodeProblem(process.versions.node)
  return problem === undefined ? ok(process.versions.node) : wrong(problem)
}

function checkSettings({ values, mistakes, warnings }: Configuration<typeof startSettings>): Finding[] {
  const found = [
    ...[...mistakes, ...conflicts(values)].map((text) => wrong(text)),
    ...[...warnings, ...risks(values)].map((text) => warning(text)),
  ]
  const { secret } = values
  const good = secret === undefined ? 'valid; without ENDWELL_SECRET, for this machine only' : 'valid'
  return (found.length === 0 ? [ok(good)] : found).map((each) => ({ name: 'settings', ...each }))
}

function checkPackages(file: string, databaseUrl: string | undefined): Omit<Finding, 'name'> {
  const needed = startPackages(file, databaseUrl)
  const missing = notInstalled(needed)
  if (missing.length > 0) return wrong(`not installed: npm install ${missing.join(' ')}`)
  return needed.length === 0 ? skipped('none needed') : ok(`${needed.join(', ')} installed`)
}

async function checkFile(file: string, dial: boolean): Promise<Finding[]> {
  try {
    const { name, models, afterCall, dialled = [] } = await checkAgent(file, { timeout: 30_000, dial })
    const listed = Object.entries(models).map(([kind, model]) => `${kind} ${model}`)
    const work = afterCall.length === 0 ? '' : `, work after each call: ${afterCall.join(', ')}`
    return [
      { name: 'agent file', ...ok(`${file} is ${name}${work}`) },
      // Which keys a model needs is known to its constructor, which has found them.
      { name: 'models', ...ok(`${listed.join(', ')}: made, with their keys and packages`) },
      ...dialled.map(dialFinding),
    ]
  } catch (error) {
    const { message } = describeError(error)
    if (error instanceof EndwellError && ['AGENT_FILE', 'PACKAGES_MISSING'].includes(error.code))
      return [
        { name: 'agent file', ...wrong(message) },
        { name: 'models', ...skipped('not checked: see agent file') },
      ]
    return [
      { name: 'agent file', ...ok(`${file} can be loaded`) },
      { name: 'models', ...wrong(message) },
    ]
  }
}

function dialFinding({ kind, name, ok: works, took, text }: DialledModel): Finding {
  return { name: `dial ${kind}`, ...(works ? ok : wrong)(`${name}: ${text}`), took }
}
