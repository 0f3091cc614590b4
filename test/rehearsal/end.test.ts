import { describe, expect, it } from 'vitest'
import { tool, type Toolset } from '../../src/session/index.ts'
import { callTool, noLeaks, rehearse } from '../../src/testing/index.ts'
import { desk, rehearseWith } from './fixture.ts'

describe('the end of a rehearsal', () => {
  it('is checked: nothing is left behind, and the report is clean', async () => {
    const check = noLeaks()
    const done: string[] = []
    const call = await rehearseWith([], {}, { afterCall: async ({ id }) => void done.push(id) })
    expect(check).toThrow(/session rehearsal/)
    expect(await call.endsWell()).toMatchObject({ reason: 'requested', clean: true })
    expect(done).toEqual(['rehearsal'])
    check()
  })

  it('comes on time in spite of a fault, and the report names the step', async () => {
    const call = await rehearseWith([], {}, { faults: { 'close:stt': 'hang' }, closeTimeout: 1_000 })
    await expect(call.endsWell()).rejects.toThrow(/did not end well:[^]*stt[^]*timed-out/)
    expect(call.faults.fired).toEqual(['close:stt'])
    const report = await call.close()
    expect(report).toMatchObject({ clean: false })
    expect(report.took).toBeLessThanOrEqual(1_000)
  })

  it('does not wait for background tasks of a toolset', async () => {
    const set: Toolset = {
      name: 'poller',
      open: async ({ scope }) => {
        scope.spawn('poll', async ({ sleep }) => {
          for (;;) await sleep(1_000)
        })
        return {}
      },
    }
    const call = await rehearseWith(['Yes.'], { toolsets: [set] })
    ;(await call.run('Hello')).expect.message('Yes.')
    await call.endsWell()
  })

  it('waits for timers that are left after the report', async () => {
    const check = noLeaks()
    const call = await rehearseWith([], { tools: { stuck: tool({ description: '', run: () => 1 }) } })
    call.clock.after(30_000, 'forgotten', () => {})
    await call.close()
    expect(call.clock.now()).toBe(30_000)
    check()
  })

  it('leaves nothing behind if the start fails or hangs', async () => {
    await expect(rehearse(desk(), { faults: { 'open:tts': 'reject' } })).rejects.toThrow('open:tts')
    await expect(rehearse(desk(), { faults: { 'open:tts': 'hang' } })).rejects.toThrow(
      /tts did not open within startTimeout = 30000 ms/,
    )
  })

  it('can be requested by a tool, and is part of the turn', async () => {
    const bye = tool({ description: 'Ends', run: (_, { close }) => close().then(() => {}) })
    const call = await rehearseWith(
      [[callTool('bye')]],
      { tools: { bye } },
      { faults: { 'close:line': { late: 300 } } },
    )
    ;(await call.run('Bye')).expect.closed('requested')
    await call.close()
  })
})
