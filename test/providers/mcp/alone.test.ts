import { spawn } from 'node:child_process'

import { describe, expect, it } from 'vitest'

import type { McpOptions } from '../../../src/providers/mcp/index.ts'
import { compiled } from '../../compiled.ts'
import { Witness } from './fixture.ts'
import { HttpServerUnderTest } from './http-server.ts'

/** A module hook that hides the SDK, as if it were not installed. */
const withoutSdk = `data:text/javascript,${encodeURIComponent(`
  import { register } from 'node:module'
  register('data:text/javascript,' + encodeURIComponent(\`
    export async function resolve(name, context, next) {
      if (!name.startsWith('@modelcontextprotocol/')) return next(name, context)
      throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
    }\`))`)}`

/** Runs `alone.ts` and closes its stdin after `moment`. Resolves when the process has exited. */
async function runAlone(options: McpOptions, moment: Promise<void>, imports: readonly string[] = []) {
  const args = [
    ...imports.flatMap((each) => ['--import', each]),
    compiled('mcp-alone'),
    JSON.stringify(options),
  ]
  const child = spawn(process.execPath, args, { stdio: 'pipe' })
  const output: string[] = []
  child.stdout.on('data', (chunk) => output.push(String(chunk)))
  child.stderr.on('data', (chunk) => output.push(String(chunk)))
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  await moment
  child.stdin.end()
  return { code: await exit, output: output.join('').trim() }
}

describe('a process with a toolset', () => {
  it('has nothing left after closing and exits: with a server at a URL', async () => {
    const server = await HttpServerUnderTest.listen({ resumable: { retry: 5_000 } })
    const ended = await runAlone({ url: server.url }, server.events.waitFor('end of POST tools/call'))
    expect(ended).toEqual({ code: 0, output: 'left:' })
    expect(server.requests.filter(({ method }) => method !== 'POST').map(({ method }) => method)).toEqual([
      'DELETE',
    ])
    expect(server.open).toBe(0)
  })

  it('has nothing left after closing and exits: with a server process', async () => {
    const witness = await Witness.listen()
    const ended = await runAlone(witness.server(), witness.events.waitFor('call breaks'))
    expect(ended).toEqual({ code: 0, output: 'left:' })
    expect(witness.alive).toEqual([])
  })

  it('without the SDK gets an error that says what to install, and starts nothing', async () => {
    const witness = await Witness.listen()
    const ended = await runAlone(witness.server(), Promise.resolve(), [withoutSdk])
    expect(ended).toEqual({
      code: 0,
      output: [
        'MCP_NOT_INSTALLED mcpTools needs the package @modelcontextprotocol/sdk, which could not be loaded. ' +
          'Run: npm install @modelcontextprotocol/sdk',
        'left:',
      ].join('\n'),
    })
    expect(witness.events.list).toEqual([])
  })
})
