import { spawn } from 'node:child_process'

import { describe, expect, it } from 'vitest'

import type { McpOptions } from '../../src/providers/mcp/index.ts'
import { compiled } from '../compiled.ts'
import { Witness } from './mcp-fixture.ts'
import { HttpServerUnderTest } from './mcp-http-server.ts'

/** Refuses to find the SDK, as on a machine where it is not installed. */
const withoutSdk = `data:text/javascript,${encodeURIComponent(`
  import { register } from 'node:module'
  register('data:text/javascript,' + encodeURIComponent(\`
    export async function resolve(name, context, next) {
      if (!name.startsWith('@modelcontextprotocol/')) return next(name, context)
      throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
    }\`))`)}`

/** Runs a process that has these tools, until it ends by itself after `moment`. */
async function alone(options: McpOptions, moment: Promise<void>, imports: readonly string[] = []) {
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
  it('has nothing left after the close, and ends by itself: a server behind an address', async () => {
    const server = await HttpServerUnderTest.listen({ resumable: { retry: 5_000 } })
    const ended = await alone({ url: server.url }, server.events.told('end of POST tools/call'))
    expect(ended).toEqual({ code: 0, output: 'left:' })
    expect(server.seen.filter(({ method }) => method !== 'POST').map(({ method }) => method)).toEqual([
      'DELETE',
    ])
    expect(server.open).toBe(0)
  })

  it('has nothing left after the close, and ends by itself: a process', async () => {
    const witness = await Witness.listen()
    const ended = await alone(witness.server(), witness.events.told('call breaks'))
    expect(ended).toEqual({ code: 0, output: 'left:' })
    expect(witness.alive).toEqual([])
  })

  it('without the SDK is told what to install, before anything is started', async () => {
    const witness = await Witness.listen()
    const ended = await alone(witness.server(), Promise.resolve(), [withoutSdk])
    expect(ended).toEqual({
      code: 0,
      output: [
        'MCP_NOT_INSTALLED tools of an MCP server need a package that cannot be loaded: ' +
          'npm install @modelcontextprotocol/sdk',
        'left:',
      ].join('\n'),
    })
    expect(witness.events.list).toEqual([])
  })
})
