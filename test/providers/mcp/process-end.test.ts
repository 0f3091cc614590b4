import { describe, expect, it } from 'vitest'

import { ScopeClosedError } from '../../../src/scope/index.ts'
import { opened, opening } from './process.ts'

describe('the end of a server process', () => {
  it('is requested by closing its stdin', async () => {
    const { close, connections, events, witness } = await opened()
    const report = await close()
    expect(witness.alive).toEqual([])
    await events.waitFor('input ended')
    expect(connections).toEqual([{ name: 'crm', how: 'acknowledged', code: 0, retries: 0 }])
    expect(report).toMatchObject({ clean: true, took: 0, steps: [{ name: 'server', outcome: 'done' }] })
  })

  it('is requested again with SIGTERM after half of endTimeout', async () => {
    const { close, fire, connections, witness, events } = await opened(['wants-sigterm'])
    const closed = close()
    await events.waitFor('input ended')
    await fire("SIGTERM to 'crm'")
    expect(await closed).toMatchObject({ clean: true, took: 500 })
    expect(witness.alive).toEqual([])
    expect(connections).toEqual([{ name: 'crm', how: 'closed', reason: 'SIGTERM', retries: 0 }])
  })

  it('is forced with SIGKILL after endTimeout, and reported as not clean', async () => {
    const { close, fire, connections, witness, events } = await opened(['ignores-end'])
    const closed = close()
    await events.waitFor('input ended')
    await fire("SIGTERM to 'crm'")
    await events.waitFor('SIGTERM')
    await fire("SIGKILL to 'crm'")
    expect(await closed).toMatchObject({
      clean: false,
      took: 1_000,
      steps: [{ outcome: 'failed', error: { code: 'MCP_IGNORED_END' } }],
    })
    expect(witness.alive).toEqual([])
    expect(connections).toEqual([{ name: 'crm', how: 'aborted', reason: 'SIGKILL', retries: 0 }])
  })

  it('includes the processes it has started', async () => {
    const { close, events, witness } = await opened(['has-a-child'])
    await events.waitFor(/^child/)
    expect(await close()).toMatchObject({ clean: true, took: 0 })
    await events.waitFor('disconnected', 2)
    expect(witness.processes).toHaveLength(2)
  })

  it('is not delayed by a child outside its process group that holds its pipes', async () => {
    const { close, events } = await opened(['has-an-escaped-child'])
    await events.waitFor(/^child/)
    expect(await close()).toMatchObject({ clean: true, took: 0 })
    expect(events.count('disconnected')).toBeLessThan(2)
  })

  it('is not delayed by such a child when the server dies on its own, either', async () => {
    const { call, close, fire, clock, events } = await opened(['has-an-escaped-child'])
    await events.waitFor(/^child/)
    const dying = call('die')
    await fire("last output of 'crm'")
    expect(clock.now()).toBe(200)
    await expect(dying).rejects.toMatchObject({ code: 'MCP_GONE' })
    await close()
  })

  it('is immediate when its scope is aborted', async () => {
    const { scope, events, connections, clock } = await opened(['ignores-end', 'has-a-child'])
    await events.waitFor(/^child/)
    scope.abort()
    expect(scope.state).toBe('closed')
    expect(clock.timers.list()).toEqual([])
    expect(connections).toMatchObject([{ how: 'aborted' }])
    await events.waitFor('disconnected', 2)
  })

  it('is on time when its scope has less time than endTimeout', async () => {
    const { scope, events, fire } = await opened(['ignores-end'], { endTimeout: 60_000 })
    const closed = scope.close({ closeTimeout: 300 })
    await events.waitFor('input ended')
    await fire("hold in 'part'")
    const report = await closed
    expect(report.took).toBeLessThanOrEqual(300)
    expect(report.steps).toMatchObject([{ name: 'server', outcome: 'timed-out' }])
    await events.waitFor('disconnected')
  })

  it('fails a call in flight', async () => {
    const { call, events, close, witness } = await opened()
    const waiting = call('wait')
    await events.waitFor('call wait')
    const closed = close()
    await expect(waiting).rejects.toMatchObject({ code: 'MCP_CLOSED' })
    await closed
    expect(witness.alive).toEqual([])
    await expect(call('echo')).rejects.toBeInstanceOf(ScopeClosedError)
    expect(witness.processes).toHaveLength(1)
  })

  it.each(['never-answers', 'hangs-in-list'])('cancels its start if it %s', async (manner) => {
    const { tools, close, witness, clock } = await opening(manner)
    expect(await close()).toMatchObject({ clean: true, took: 0 })
    expect(witness.alive).toEqual([])
    expect(clock.now()).toBe(0)
    await expect(tools).rejects.toMatchObject({ name: 'AbortError' })
  })
})
