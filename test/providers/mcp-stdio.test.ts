import { inspect } from 'node:util'

import { describe, expect, it } from 'vitest'

import { mcpTools, type McpProcessOptions, type McpToolsetError } from '../../src/providers/mcp/index.ts'
import { ScopeClosedError } from '../../src/scope/index.ts'
import type { Tool } from '../../src/session/index.ts'
import { read } from '../house/tree.ts'
import { aContext, aToolContext, Witness } from './mcp-fixture.ts'

/** The tools of a server with these manners, opened by hand. */
async function opened(manners: readonly string[] = [], options: Partial<McpProcessOptions> = {}) {
  const witness = await Witness.listen()
  const context = aContext()
  const tools = await mcpTools({ ...witness.server(...manners), ...options }).open(context)
  const call = async (name: string, input: object = {}, how = aToolContext()): Promise<unknown> =>
    (tools[name] as Tool).run(input, how)
  return { ...context, witness, events: witness.events, tools, call }
}

/** A server with these manners that has been asked, and does not answer. */
async function beginning(...manners: readonly string[]) {
  const witness = await Witness.listen()
  const context = aContext()
  const opening = mcpTools(witness.server(...manners)).open(context)
  opening.catch(() => {})
  await witness.events.told(/^(list|hears)/)
  return { ...context, witness, events: witness.events, opening }
}

/** What opening a server with these manners fails with. Nothing of it is left. */
async function refused(manners: readonly string[], options: Partial<McpProcessOptions> = {}) {
  const witness = await Witness.listen()
  const context = aContext()
  const opening = mcpTools({ ...witness.server(...manners), ...options }).open(context)
  const error = await opening.then(
    () => undefined,
    (reason: unknown) => reason as McpToolsetError,
  )
  await context.close()
  expect(witness.alive).toEqual([])
  return { ...context, error: error!, events: witness.events }
}

describe('the tools of a process', () => {
  it('are those it lists, page by page, with names that every model takes and schemas as they are', async () => {
    const { tools, events, close, lines } = await opened()
    expect(Object.keys(tools)).toEqual([
      'echo',
      'add',
      'fail',
      'refuse',
      'wait',
      'steps',
      'flood',
      'blocks',
      'die',
      'change',
      'breaks',
      'gated',
      'environment',
      'calendar_find_slot',
      'calendar_find_slot_2',
      '_2nd',
    ])
    // What the process tells of itself comes by another way than what it answers.
    await events.told('list 12')
    const lists = events.list.filter((event) => event.startsWith('list'))
    expect(lists).toEqual(['list 0', 'list 6', 'list 12'])
    expect(tools['echo']?.description).toBe('Say it again')
    expect(tools['echo']?.parameters).toEqual({
      type: 'object',
      properties: { text: { type: 'string', description: 'What to say', minLength: 1 } },
      required: ['text'],
      additionalProperties: false,
    })
    expect(tools['add']?.description).toBe('Adds up')
    expect(lines).toMatchObject([{ level: 'warn', fields: { tools: ['long-task'] } }])
    await close()
  })

  it('are offered to a client that says who it is', async () => {
    const { events, close } = await opened()
    const { version } = JSON.parse(read('package.json')) as { version: string }
    await events.told(`ready for endwell ${version}`)
    await close()
  })

  it('can be chosen, named and tuned', async () => {
    const { tools, call, close } = await opened([], {
      prefix: 'crm: ',
      only: ['2nd', 'echo'],
      call: (name) => (name === 'echo' ? { timeout: 3_000, onInterrupt: 'cancel' } : {}),
    })
    expect(Object.keys(tools)).toEqual(['crm_echo', 'crm_2nd'])
    expect(tools['crm_echo']).toMatchObject({ timeout: 3_000, onInterrupt: 'cancel' })
    expect(tools['crm_2nd']).toMatchObject({ timeout: 15_000, onInterrupt: 'keep' })
    expect(await call('crm_2nd')).toBe('called 2nd')
    await close()
  })

  it('cannot be chosen if they are not there', async () => {
    const { error } = await refused([], { only: ['echo', 'sing'] })
    expect(error).toMatchObject({ code: 'BAD_OPTION' })
    expect(error.message).toMatch(/'crm' has no tool sing; it has: echo, add/)
  })
})

describe('a call', () => {
  it('becomes the text of its blocks, or the data if there is no text', async () => {
    const { call, close } = await opened()
    expect(await call('echo', { text: 'hello' })).toBe('hello')
    expect(await call('add', { a: 1, b: 2 })).toEqual({ sum: 3 })
    expect(await call('blocks')).toBe(
      [
        'one',
        '[image, image/png: it cannot be read here]',
        '[a.txt: file:///a.txt] A file',
        'two',
        '[file:///c.bin: it cannot be read here]',
      ].join('\n'),
    )
    await close()
  })

  it('fails with the words of the tool, or of the server', async () => {
    const { call, close } = await opened()
    await expect(call('fail')).rejects.toMatchObject({
      code: 'MCP_TOOL_FAILED',
      message: 'there is no such customer',
    })
    await expect(call('refuse')).rejects.toMatchObject({
      code: 'MCP_REFUSED',
      message: expect.stringContaining('not with these') as string,
    })
    await close()
  })

  it('tells how far it is, and neither that nor its result is without a limit', async () => {
    const { call, close } = await opened()
    const few = aToolContext()
    await call('steps', {}, few)
    expect(few.updates).toEqual(['1/3', 'nearly there', '3'])
    const many = aToolContext()
    const output = await call('flood', {}, many)
    expect(many.updates).toHaveLength(1_000)
    expect(output).toMatch(/^x{100000}\n\[cut: 50000 characters more\]$/)
    await close()
  })

  it('that is cancelled throws the reason at once, and the server is told', async () => {
    const { call, events, close } = await opened()
    const controller = new AbortController()
    const waiting = call('wait', {}, aToolContext(controller.signal))
    await events.told('call wait')
    const reason = new Error('the caller has changed their mind')
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await events.told('cancelled wait')
    expect(await call('echo', { text: 'still here' })).toBe('still here')
    await close()
  })

  it('gets nothing of our environment but what programs need, and what it is given', async () => {
    process.env['OUR_SECRET'] = 'not for servers'
    const { call, close } = await opened([], { env: { THEIR_KEY: 'k' } })
    delete process.env['OUR_SECRET']
    const names = String(await call('environment')).split(' ')
    expect(names).toContain('THEIR_KEY')
    expect(names).toContain('PATH')
    expect(names).not.toContain('OUR_SECRET')
    await close()
  })

  it('may change the tools of the server, which is told to people once', async () => {
    const { call, lines, close } = await opened()
    await call('change')
    const told = lines.filter(({ message }) => message.includes('have changed'))
    expect(told).toMatchObject([{ level: 'info', fields: { toolset: 'crm' } }])
    await close()
  })
})

describe('a server that dies', () => {
  it('fails the calls in flight, which are not made again, and is started by the next one', async () => {
    const { call, events, witness, close, connections, lines } = await opened()
    const waiting = call('wait')
    await events.told('call wait')
    const dying = call('die')
    for (const lost of [waiting, dying]) {
      await expect(lost).rejects.toMatchObject({
        code: 'MCP_GONE',
        message: "'crm' is gone: it ended with exit code 7. Nobody knows how far the call came",
      })
    }
    expect(await Promise.all([call('echo', { text: 'a' }), call('echo', { text: 'b' })])).toEqual(['a', 'b'])
    await events.told('call echo', 2)
    expect([events.count('call die'), events.count('call wait')]).toEqual([1, 1])
    expect(witness.processes).toHaveLength(2)
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', message: 'an MCP server is gone' }))
    const report = await close()
    expect(witness.alive).toEqual([])
    expect(report.clean).toBe(true)
    expect(connections).toEqual([
      { name: 'crm', how: 'dropped', code: 7, retries: 0 },
      { name: 'crm', how: 'acknowledged', code: 0, retries: 1 },
    ])
  })

  it('between two calls is missed by nobody', async () => {
    const { call, ends, events, witness, close, connections } = await opened()
    await events.told(/^pid/)
    process.kill(witness.processes[0]!, 'SIGKILL')
    await ends.told('dropped')
    expect(connections).toEqual([{ name: 'crm', how: 'dropped', reason: 'SIGKILL', retries: 0 }])
    expect(await call('echo', { text: 'hello' })).toBe('hello')
    await close()
  })

  it('is started only so often', async () => {
    const { call, close, events, witness } = await opened([], { maxRestarts: 1 })
    for (let i = 0; i < 2; i++) await expect(call('die')).rejects.toMatchObject({ code: 'MCP_GONE' })
    await expect(call('echo')).rejects.toMatchObject({
      code: 'MCP_GAVE_UP',
      message: expect.stringContaining('maxRestarts') as string,
    })
    await events.told(/^pid/, 2)
    expect(witness.processes).toHaveLength(2)
    await close()
  })

  it('is not waited for by a call that is cancelled while it starts again', async () => {
    const { call, events, witness, close } = await opened()
    await expect(call('die')).rejects.toMatchObject({ code: 'MCP_GONE' })
    const controller = new AbortController()
    const first = call('echo', { text: 'a' }, aToolContext(controller.signal))
    const second = call('echo', { text: 'b' })
    controller.abort(new Error('never mind'))
    await expect(first).rejects.toThrow('never mind')
    expect(await second).toBe('b')
    await events.told('call echo')
    expect(events.count('call echo')).toBe(1)
    expect(witness.processes).toHaveLength(2)
    await close()
  })
})

describe('a server that cannot be used', () => {
  it('because it dies at once is told with its words, and without its secrets', async () => {
    const env = { SECRET: 'sesame-street' }
    const { error, connections, lines } = await refused(['dies-at-once'], { env })
    expect(error).toMatchObject({
      code: 'MCP_START_FAILED',
      message: "'crm' could not be started: it ended with exit code 3. It said: Error: the key … is wrong",
    })
    expect(connections).toEqual([{ name: 'crm', how: 'dropped', code: 3, retries: 0 }])
    const everything = inspect({ error, lines, toolset: mcpTools({ command: 'x', env }) }, { depth: 9 })
    expect(everything).not.toContain('sesame')
  })

  it('because it is not there is told before anything runs', async () => {
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

  it.each(['never-answers', 'hangs-in-list'])(
    'because it %s is given up after startTimeout',
    async (manner) => {
      const { opening, fire, clock, close, connections, witness, events } = await beginning(manner)
      await fire("startTimeout of 'crm'")
      expect(clock.now()).toBe(10_000)
      await expect(opening).rejects.toMatchObject({
        code: 'MCP_START_TIMEOUT',
        message: "'crm' was not ready within 10000 ms. Look at the server, or raise startTimeout",
      })
      await events.told('gone')
      const report = await close()
      expect(witness.alive).toEqual([])
      expect(connections).toMatchObject([{ how: 'acknowledged' }])
      expect(report.took).toBe(0)
    },
  )

  it('because it hangs and ignores its end is killed', async () => {
    const { opening, fire, close, connections, witness } = await beginning('never-answers', 'ignores-end')
    await fire("startTimeout of 'crm'")
    await expect(opening).rejects.toMatchObject({ code: 'MCP_START_TIMEOUT' })
    await fire("SIGKILL to 'crm'")
    await close()
    expect(witness.alive).toEqual([])
    expect(connections).toEqual([{ name: 'crm', how: 'aborted', reason: 'SIGKILL', retries: 0 }])
  })

  it.each([
    ['babbles', /it writes what is no message, without end/],
    ['writes-one-endless-line', /it wrote a message of more than \d+ bytes/],
    ['endless-list', /more and more tools \(limit pages = 100\)/],
  ])('because it %s is given up at once', async (manner, words) => {
    const { error } = await refused([manner])
    expect(error.message).toMatch(words)
  })

  it('is another one than a server that chats on its output and complains without end', async () => {
    const { call, close } = await opened(['chats', 'complains'])
    expect(await call('echo', { text: 'hello' })).toBe('hello')
    expect((await close()).clean).toBe(true)
  })
})

describe('the end of a process', () => {
  it('is asked for by closing its input, and waited for', async () => {
    const { close, connections, events, witness } = await opened()
    const report = await close()
    expect(witness.alive).toEqual([])
    await events.told('input ended')
    expect(connections).toEqual([{ name: 'crm', how: 'acknowledged', code: 0, retries: 0 }])
    expect(report).toMatchObject({ clean: true, took: 0, steps: [{ name: 'server', outcome: 'done' }] })
  })

  it('is asked for again with SIGTERM', async () => {
    const { close, fire, connections, witness, events } = await opened(['wants-sigterm'])
    const closed = close()
    await events.told('input ended')
    await fire("SIGTERM to 'crm'")
    expect(await closed).toMatchObject({ clean: true, took: 500 })
    expect(witness.alive).toEqual([])
    expect(connections).toEqual([{ name: 'crm', how: 'closed', reason: 'SIGTERM', retries: 0 }])
  })

  it('is made by SIGKILL if it ignores both, and the report says so', async () => {
    const { close, fire, connections, witness, events } = await opened(['ignores-end'])
    const closed = close()
    await events.told('input ended')
    await fire("SIGTERM to 'crm'")
    await events.told('SIGTERM')
    await fire("SIGKILL to 'crm'")
    expect(await closed).toMatchObject({
      clean: false,
      took: 1_000,
      steps: [{ outcome: 'failed', error: { code: 'MCP_IGNORED_END' } }],
    })
    expect(witness.alive).toEqual([])
    expect(connections).toEqual([{ name: 'crm', how: 'aborted', reason: 'SIGKILL', retries: 0 }])
  })

  it('is the end of what it has started, too', async () => {
    const { close, events, witness } = await opened(['has-a-child'])
    await events.told(/^child/)
    expect(await close()).toMatchObject({ clean: true, took: 0 })
    await events.told('gone', 2)
    expect(witness.processes).toHaveLength(2)
  })

  it('is not put off by somebody who has left the family and holds its pipes', async () => {
    const { close, events } = await opened(['has-an-escaped-child'])
    await events.told(/^child/)
    expect(await close()).toMatchObject({ clean: true, took: 0 })
    expect(events.count('gone')).toBeLessThan(2)
  })

  it('that nobody asked for is not put off by them, either', async () => {
    const { call, close, fire, clock, events } = await opened(['has-an-escaped-child'])
    await events.told(/^child/)
    const dying = call('die')
    await fire("last output of 'crm'")
    expect(clock.now()).toBe(200)
    await expect(dying).rejects.toMatchObject({ code: 'MCP_GONE' })
    await close()
  })

  it('comes at once when its scope is aborted', async () => {
    const { scope, events, connections, clock } = await opened(['ignores-end', 'has-a-child'])
    await events.told(/^child/)
    scope.abort()
    expect(scope.state).toBe('closed')
    expect(clock.timers.list()).toEqual([])
    expect(connections).toMatchObject([{ how: 'aborted' }])
    await events.told('gone', 2)
  })

  it('comes on time when its scope has less of it than the server may take', async () => {
    const { scope, events, fire } = await opened(['ignores-end'], { endTimeout: 60_000 })
    const closed = scope.close({ closeTimeout: 300 })
    await events.told('input ended')
    await fire("hold in 'part'")
    const report = await closed
    expect(report.took).toBeLessThanOrEqual(300)
    expect(report.steps).toMatchObject([{ name: 'server', outcome: 'timed-out' }])
    await events.told('gone')
  })

  it('in the middle of a call fails the call', async () => {
    const { call, events, close, witness } = await opened()
    const waiting = call('wait')
    await events.told('call wait')
    const closed = close()
    await expect(waiting).rejects.toMatchObject({ code: 'MCP_CLOSED' })
    await closed
    expect(witness.alive).toEqual([])
    await expect(call('echo')).rejects.toBeInstanceOf(ScopeClosedError)
    expect(witness.processes).toHaveLength(1)
  })

  it.each(['never-answers', 'hangs-in-list'])('comes while it starts, also if it %s', async (manner) => {
    const { opening, close, witness, clock } = await beginning(manner)
    expect(await close()).toMatchObject({ clean: true, took: 0 })
    expect(witness.alive).toEqual([])
    expect(clock.now()).toBe(0)
    await expect(opening).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('options', () => {
  it('that cannot work are refused at once, without repeating an address', () => {
    expect(() => mcpTools({ command: 'x', startTimeout: Infinity })).toThrow(/startTimeout must be a finite/)
    expect(() => mcpTools({ url: 'ftp://me:secret@x/' })).toThrow(/http/)
    expect(() => mcpTools({ url: 'no address secret' })).not.toThrow(/secret/)
    expect(() => mcpTools({ url: 'no address' })).toThrow(/http/)
  })

  it('name the toolset if nothing else does', () => {
    expect(mcpTools({ command: '/usr/bin/npx', args: ['--key=secret'] }).name).toBe('npx')
    expect(mcpTools({ url: 'https://me:secret@crm.example.com/mcp?key=secret' }).name).toBe('crm.example.com')
    expect(mcpTools({ url: 'https://crm.example.com/mcp', name: 'crm' }).name).toBe('crm')
  })
})
