import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../../src/host/exit-codes.ts'
import { FastClock } from '../../fast-clock.ts'
import { Stage, ask } from './stage.ts'

describe('a supervisor of real processes', () => {
  it('[HO4] [HO20] replaces a worker that was killed, and leaves the calls of the others alone', async () => {
    await using stage = await Stage.open({ workers: 2 })
    await stage.ask('w1', 'begin')
    await stage.ask('w2', 'begin')
    process.kill(stage.pidOf('w1'), 'SIGKILL')
    await stage.happens('ready w3')
    expect(stage.events).toContain('exited w1 SIGKILL')
    expect(stage.events).toContain('replaced w1 exited')
    expect(stage.orphaned).toEqual(['w1'])
    expect(await stage.ask('w2', 'begin')).toBe('2')
  })

  it('[HO21] gives up if no worker is ever ready, and passes on what they print', async () => {
    const stage = await Stage.open({ behaviour: { start: 'die' }, clock: new FastClock() })
    expect(await stage.ended()).toBe(exitCodes.hopeless)
    expect(stage.events.filter((event) => event.startsWith('paused'))).toEqual([
      'paused 1000',
      'paused 2000',
      'paused 4000',
    ])
    expect(stage.events).toContain('exited w1 7')
  })

  it('[HO3] drains: not ready at once, calls finish, exit code 0', async () => {
    const stage = await Stage.open({ workers: 2 })
    await stage.ask('w1', 'begin')
    await stage.happens('ready w2')
    stage.supervisor.signal()
    expect(stage.supervisor.ready).toBe(false)
    await stage.happens('exited w2 0')
    expect(stage.code).toBeUndefined()
    await stage.ask('w1', 'end')
    expect(await stage.ended()).toBe(exitCodes.clean)
    expect(stage.events.at(-1)).toBe('leave')
    expect(stage.lines).toContain('w1 stdout: w1 drains')
  })

  it('[HO3] closes calls at a second signal, and kills at the third', async () => {
    const stage = await Stage.open()
    await stage.ask('w1', 'deaf')
    stage.supervisor.signal()
    stage.supervisor.signal()
    await stage.until(() => stage.lines.includes('w1 stdout: w1 closes: drained'))
    stage.supervisor.signal()
    expect(await stage.ended()).toBe(exitCodes.killed)
    expect(stage.events).toContain('exited w1 SIGKILL')
  })

  it('[HO24] keeps its port open while its only worker is replaced', async () => {
    await using stage = await Stage.open({ listen: { port: 0, host: '127.0.0.1' } })
    const port = stage.supervisor.port!
    expect(await ask(port, 'who')).toBe('w1')
    process.kill(stage.pidOf('w1'), 'SIGKILL')
    await stage.happens('exited w1 SIGKILL')
    expect(stage.supervisor.ready).toBe(false)
    expect(await ask(port, 'who')).toBe('w2')
  })

  it('[HO24] ignores what is no message, answers requests, and hands out orders and metrics', async () => {
    await using stage = await Stage.open()
    await stage.ask('w1', 'misbehave')
    await stage.happens('misbehaved w1')
    expect(await stage.ask('w1', 'request hello')).toBe('{"worker":"w1","body":"hello"}')
    expect(await stage.ask('w1', 'request fail')).toBe('"RequestFailedError: no disk"')
    await stage.ask('w1', 'begin')
    expect(await stage.supervisor.metrics()).toEqual(new Map([['w1', { calls: 1 }]]))
    stage.supervisor.order('w1', { call: 'c1', order: 'close' })
    await stage.until(() => stage.lines.includes('w1 stdout: w1 was ordered to close c1'))
  })

  it('[HO40] hands connections to workers with room, and to all if none has room', async () => {
    await using stage = await Stage.open({
      workers: 2,
      callsPerWorker: 1,
      listen: { port: 0, host: '127.0.0.1' },
    })
    const port = stage.supervisor.port!
    await stage.ask('w1', 'begin')
    await stage.happens('ready w2')
    // Its message to the supervisor comes before its answer to this.
    await stage.ask('w1', 'request hello')
    const who = async (): Promise<unknown[]> => [await ask(port, 'who'), await ask(port, 'who')]
    expect(await who()).toEqual(['w2', 'w2'])
    expect([stage.supervisor.rooms.hasRoomBeside('w1'), stage.supervisor.rooms.hasRoomBeside('w2')]).toEqual([
      true,
      false,
    ])
    await stage.ask('w2', 'begin')
    await stage.ask('w2', 'request hello')
    expect(new Set(await who())).toEqual(new Set(['w1', 'w2']))
  })

  it('[HO20] drains and replaces a worker over its memory limit', async () => {
    await using stage = await Stage.open({ memoryLimit: 250 })
    await stage.ask('w1', 'begin')
    await stage.ask('w1', 'hoard 250')
    await stage.happens('ready w2')
    expect(stage.events).toContain('replaced w1 memory')
    expect(await stage.ask('w1', 'who')).toBe('w1')
    await stage.ask('w1', 'end')
    await stage.happens('exited w1 0')
  })
})
