import { describe, expect, it } from 'vitest'

import { read } from '../../house/tree.ts'
import { aToolContext } from './fixture.ts'
import { opened, refused } from './process.ts'

describe('the tools of a server process', () => {
  it('are listed page by page, with names that every model accepts and unchanged schemas', async () => {
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
    // Reports of the process travel over another connection than its responses.
    await events.waitFor('list 12')
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

  it('are listed for a client that names itself and its version', async () => {
    const { events, close } = await opened()
    const { version } = JSON.parse(read('package.json')) as { version: string }
    await events.waitFor(`ready for endwell ${version}`)
    await close()
  })

  it('can be selected, prefixed and given call options', async () => {
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

  it('cannot be selected if the server does not have them', async () => {
    const { error } = await refused([], { only: ['echo', 'sing'] })
    expect(error).toMatchObject({ code: 'BAD_OPTION' })
    expect(error.message).toMatch(/'crm' has no tool sing. Its tools: echo, add/)
  })
})

describe('a call to a server process', () => {
  it('returns the text of its blocks, or the structured content if there is no text', async () => {
    const { call, close } = await opened()
    expect(await call('echo', { text: 'hello' })).toBe('hello')
    expect(await call('add', { a: 1, b: 2 })).toEqual({ sum: 3 })
    expect(await call('blocks')).toBe(
      [
        'one',
        '[image, image/png: not readable here]',
        '[a.txt: file:///a.txt] A file',
        'two',
        '[file:///c.bin: not readable here]',
      ].join('\n'),
    )
    await close()
  })

  it("fails with the tool's message or the server's", async () => {
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

  it('reports its progress, and both progress and output are limited', async () => {
    const { call, close } = await opened()
    const few = aToolContext()
    await call('steps', {}, few)
    expect(few.updates).toEqual(['1/3', 'nearly there', '3'])
    const many = aToolContext()
    const output = await call('flood', {}, many)
    expect(many.updates).toHaveLength(1_000)
    expect(output).toMatch(/^x{100000}\n\[50000 more characters were cut\]$/)
    await close()
  })

  it('that is cancelled throws the reason at once and is cancelled at the server', async () => {
    const { call, events, close } = await opened()
    const controller = new AbortController()
    const waiting = call('wait', {}, aToolContext(controller.signal))
    await events.waitFor('call wait')
    const reason = new Error('the caller has changed their mind')
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await events.waitFor('cancelled wait')
    expect(await call('echo', { text: 'still here' })).toBe('still here')
    await close()
  })

  it('sees only the basic environment variables and those in `env`', async () => {
    process.env['OUR_SECRET'] = 'not for servers'
    const { call, close } = await opened([], { env: { THEIR_KEY: 'k' } })
    delete process.env['OUR_SECRET']
    const names = String(await call('environment')).split(' ')
    expect(names).toContain('THEIR_KEY')
    expect(names).toContain('PATH')
    expect(names).not.toContain('OUR_SECRET')
    await close()
  })

  it('may change the tools of the server, which is logged once', async () => {
    const { call, lines, close } = await opened()
    await call('change')
    const changes = lines.filter(({ message }) => message.includes('have changed'))
    expect(changes).toMatchObject([{ level: 'info', fields: { toolset: 'crm' } }])
    await close()
  })
})
