import { inspect } from 'node:util'

import { describe, expect, it } from 'vitest'

import { mcpTools } from '../../../src/providers/mcp/index.ts'
import { opened, opening, refused } from './process.ts'

describe('the start of a server process', () => {
  it('fails with the stderr of a server that dies, without its secrets', async () => {
    const env = { SECRET: 'sesame-street' }
    const { error, connections, lines } = await refused(['dies-at-once'], { env })
    expect(error).toMatchObject({
      code: 'MCP_START_FAILED',
      message: "'crm' could not be started: it ended with exit code 3. Its stderr: Error: the key … is wrong",
    })
    expect(connections).toEqual([{ name: 'crm', how: 'dropped', code: 3, retries: 0 }])
    const everything = inspect({ error, lines, toolset: mcpTools({ command: 'x', env }) }, { depth: 9 })
    expect(everything).not.toContain('sesame')
  })

  it('fails if there is no such program', async () => {
    // Of one readable folder: Node reports EACCES instead if a folder in PATH cannot be read.
    const env = { PATH: import.meta.dirname }
    const command = 'no-such-program'
    const { error, connections } = await refused([], { command, args: ['--key=sesame'], env })
    expect(inspect(error)).not.toContain('sesame')
    expect(error).toMatchObject({
      code: 'MCP_START_FAILED',
      message: "'crm' could not be started: it cannot be run (ENOENT)",
    })
    expect(connections).toEqual([])
  })

  it.each(['never-answers', 'hangs-in-list'])('fails after startTimeout if the server %s', async (manner) => {
    const { tools, fire, clock, close, connections, witness, events } = await opening(manner)
    await fire("startTimeout of 'crm'")
    expect(clock.now()).toBe(10_000)
    await expect(tools).rejects.toMatchObject({
      code: 'MCP_START_TIMEOUT',
      message: "'crm' was not ready within 10000 ms. Check the server, or raise startTimeout",
    })
    await events.waitFor('disconnected')
    const report = await close()
    expect(witness.alive).toEqual([])
    expect(connections).toMatchObject([{ how: 'acknowledged' }])
    expect(report.took).toBe(0)
  })

  it('kills a server that hangs and ignores its end', async () => {
    const { tools, fire, close, connections, witness } = await opening('never-answers', 'ignores-end')
    await fire("startTimeout of 'crm'")
    await expect(tools).rejects.toMatchObject({ code: 'MCP_START_TIMEOUT' })
    await fire("SIGKILL to 'crm'")
    await close()
    expect(witness.alive).toEqual([])
    expect(connections).toEqual([{ name: 'crm', how: 'aborted', reason: 'SIGKILL', retries: 0 }])
  })

  it.each([
    ['babbles', /it keeps writing lines that are not MCP messages/],
    ['writes-one-endless-line', /it wrote a message of more than \d+ bytes/],
    ['endless-list', /the tool list of 'crm' does not end \(limit pages = 100\)/],
  ])('fails at once if the server breaks the protocol: %s', async (manner, message) => {
    const { error } = await refused([manner])
    expect(error.message).toMatch(message)
  })

  it('succeeds although the server writes other lines to stdout and a lot to stderr', async () => {
    const { call, close } = await opened(['chats', 'complains'])
    expect(await call('echo', { text: 'hello' })).toBe('hello')
    expect((await close()).clean).toBe(true)
  })
})
