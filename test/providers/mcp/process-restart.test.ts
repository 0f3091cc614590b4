import { describe, expect, it } from 'vitest'

import { aToolContext } from './fixture.ts'
import { opened } from './process.ts'

describe('a server process that dies', () => {
  it('fails the calls in flight without repeating them, and is started again by the next call', async () => {
    const { call, events, witness, close, connections, lines } = await opened()
    const waiting = call('wait')
    await events.waitFor('call wait')
    const dying = call('die')
    for (const lost of [waiting, dying]) {
      await expect(lost).rejects.toMatchObject({
        code: 'MCP_GONE',
        message:
          "'crm' ended during the call: it ended with exit code 7. It is unknown how much of the call was done",
      })
    }
    expect(await Promise.all([call('echo', { text: 'a' }), call('echo', { text: 'b' })])).toEqual(['a', 'b'])
    await events.waitFor('call echo', 2)
    expect([events.count('call die'), events.count('call wait')]).toEqual([1, 1])
    expect(witness.processes).toHaveLength(2)
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'an MCP server has ended unexpectedly' }),
    )
    const report = await close()
    expect(witness.alive).toEqual([])
    expect(report.clean).toBe(true)
    expect(connections).toEqual([
      { name: 'crm', how: 'dropped', code: 7, retries: 0 },
      { name: 'crm', how: 'acknowledged', code: 0, retries: 1 },
    ])
  })

  it('between two calls is started again by the next call', async () => {
    const { call, ends, events, witness, close, connections } = await opened()
    await events.waitFor(/^pid/)
    process.kill(witness.processes[0]!, 'SIGKILL')
    await ends.waitFor('dropped')
    expect(connections).toEqual([{ name: 'crm', how: 'dropped', reason: 'SIGKILL', retries: 0 }])
    expect(await call('echo', { text: 'hello' })).toBe('hello')
    await close()
  })

  it('is started at most maxRestarts times', async () => {
    const { call, close, events, witness } = await opened([], { maxRestarts: 1 })
    for (let i = 0; i < 2; i++) await expect(call('die')).rejects.toMatchObject({ code: 'MCP_GONE' })
    await expect(call('echo')).rejects.toMatchObject({
      code: 'MCP_GAVE_UP',
      message: expect.stringContaining('maxRestarts') as string,
    })
    await events.waitFor(/^pid/, 2)
    expect(witness.processes).toHaveLength(2)
    await close()
  })

  it('is started again for the other calls when one of them is cancelled', async () => {
    const { call, events, witness, close } = await opened()
    await expect(call('die')).rejects.toMatchObject({ code: 'MCP_GONE' })
    const controller = new AbortController()
    const first = call('echo', { text: 'a' }, aToolContext(controller.signal))
    const second = call('echo', { text: 'b' })
    controller.abort(new Error('never mind'))
    await expect(first).rejects.toThrow('never mind')
    expect(await second).toBe('b')
    await events.waitFor('call echo')
    expect(events.count('call echo')).toBe(1)
    expect(witness.processes).toHaveLength(2)
    await close()
  })
})
