import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { installedPackage } from '../compiled.ts'
import type { Program, ProgramOptions } from '../program.ts'
import { runProgram } from './run-program.ts'

/** An agent whose first reply is known, with one piece of after-call work that can never succeed. */
const agent = `
import { Agent } from 'endwell'
import { Unrecoverable } from 'endwell/host'
import { ScriptedLlm, ScriptedTts } from 'endwell/testing'
export default {
  name: 'Bright Dental',
  agent: () => new Agent({ name: 'desk', instructions: '', onEnter: ({ session }) => session.say('Good morning!') }),
  models: () => ({ llm: new ScriptedLlm({ answers: ['At nine.'] }), tts: new ScriptedTts({ msPerCharacter: 1 }) }),
  afterCall: { crm: () => { throw new Unrecoverable('the customer is unknown') } },
}`

/** A folder for one test, in which a package is installed: the agent file, `.env`, and the data of a host. */
export function productionFolder(
  files: Readonly<Record<string, string>> = {},
  endwell = installedPackage(),
): string {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries({
    'package.json': '{"type":"module"}',
    'agent.js': agent,
    ...files,
  }))
    writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(endwell, join(folder, 'node_modules', 'endwell'), 'junction')
  return folder
}

/** `endwell start` in a folder, with the package that is installed there, on any free port. */
export function startHost(
  folder: string,
  args: readonly string[] = [],
  env: ProgramOptions['env'] = {},
): Program {
  const endwell = join(folder, 'node_modules', 'endwell')
  return runProgram(['start', 'agent.js', '--port', '0', ...args], { cwd: folder, env, endwell })
}

export interface Answer {
  readonly status: number
  readonly text: string
}

/** A request with any headers: `fetch` does not send another host name. */
export function ask(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
