import { exec, fork, spawn, type ChildProcess } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { guard, guardLimits, type Guard } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { delay, errorOf } from './clients.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const forever = 'setInterval(() => {}, 1_000)'
const kinds = (call: Guard): string[] =>
  call.tree.owned.filter(({ name }) => name !== 'opened while closing').map(({ name }) => name)

describe('timers of a guarded session', () => {
  it('are cleared at the end if they repeat, and unreffed if not', async () => {
    let ticks = 0
    const call = guard({ closeTimeout: 300 })
    const timers = call.run(() => [
      setInterval(() => ticks++, 5),
      setTimeout(() => {}, 60_000),
      setTimeout(() => {}, 60_000).unref(),
      setTimeout(() => {}, 1),
    ])
    const other = setTimeout(() => {}, 60_000)
    await delay(20)
    const report = await call.close()
    expect(report.timers).toEqual({ cleared: 1, unreffed: 1 })
    expect(timers[1]!.hasRef()).toBe(false)
    expect(other.hasRef()).toBe(true)
    clearTimeout(other)
    const seen = ticks
    expect(seen).toBeGreaterThan(0)
    await delay(30)
    expect(ticks).toBe(seen)
  })

  it('still run while it is closing, because its close may need them', async () => {
    const call = guard({ closeTimeout: 1_000, close: () => delay(20) })
    expect(await call.close()).toMatchObject({ graceful: true, timers: { cleared: 0, unreffed: 0 } })
  })

  it('do not repeat or keep the process alive if started after the end', async () => {
    const call = guard({ closeTimeout: 300 })
    await call.close()
    let ticks = 0
    const [interval, timeout] = call.run(() => [setInterval(() => ticks++, 1), setTimeout(() => ticks++, 1)])
    expect(timeout.hasRef()).toBe(false)
    await delay(20)
    expect(ticks).toBe(1)
    expect(Reflect.get(interval, '_destroyed')).toBe(true)
  })

  it('keep their behaviour: arguments, promises, values, signals', async () => {
    const call = guard({ closeTimeout: 300 })
    await call.run(async () => {
      expect(await new Promise((resolve) => setTimeout(resolve, 1, 'argument'))).toBe('argument')
      expect(await promisify(setTimeout)(1, 'value')).toBe('value')
      expect(await sleep(1, 'value')).toBe('value')
      const controller = new AbortController()
      const sleeping = sleep(60_000, 'value', { signal: controller.signal })
      controller.abort()
      await expect(sleeping).rejects.toMatchObject({ name: 'AbortError' })
    })
    call.run(() => sleep(60_000)).catch(() => {})
    expect((await call.close()).timers).toEqual({ cleared: 0, unreffed: 1 })
  })

  it('are no longer tracked once they have ended', async () => {
    const call = guard({ closeTimeout: 300 })
    const held: WeakRef<object>[] = []
    call.run(() => {
      for (let i = 0; i < 1_000; i++) {
        const timer = setTimeout(() => {}, 60_000)
        held.push(new WeakRef(timer))
        clearTimeout(timer)
      }
    })
    await delay(1)
    collect()
    const kept = held.filter((timer) => timer.deref() !== undefined)
    expect(kept.length).toBeLessThanOrEqual(guardLimits.timersBeforeSweep)
    expect((await call.close()).timers).toEqual({ cleared: 0, unreffed: 0 })
  })
})

describe('in a guarded session', () => {
  const processes: Record<string, () => ChildProcess> = {
    spawn: () => spawn(process.execPath, ['-e', forever]),
    exec: () => exec(`exec "${process.execPath}" -e "${forever}"`),
    fork: () => fork('-e', [forever], { execArgv: [], stdio: 'ignore' }),
  }

  it.each(Object.keys(processes))('a process by %s is owned and killed at the end', async (way) => {
    const call = guard({ name: 'call', closeTimeout: 400 })
    const child = call.run(() => processes[way]!().on('error', () => {}))
    const exited = once(child, 'exit')
    expect(kinds(call)).toEqual([expect.stringMatching(/^process /)])
    expect((await call.close()).severed).toMatchObject([{ kind: 'process' }])
    expect(await exited).toEqual([null, 'SIGKILL'])
  })

  it('a process that exits by itself is no longer tracked', async () => {
    const call = guard()
    await once(
      call.run(() => spawn(process.execPath, ['-e', ''])),
      'close',
    )
    expect(kinds(call)).toEqual([])
    expect(await call.close()).toMatchObject({ graceful: true })
  })

  it('a process cannot be started after the end', async () => {
    const call = guard({ closeTimeout: 300 })
    await call.close()
    const error = await call.run(() => errorOf(spawn(process.execPath, ['-e', forever])))
    expect(error).toMatchObject({ code: 'GUARD_CLOSED' })
    await expect(call.run(() => promisify(exec)('true'))).rejects.toMatchObject({ code: 'GUARD_CLOSED' })
  })

  it('a worker is owned and terminated at the end, and at once if started later', async () => {
    const call = guard({ closeTimeout: 400 })
    const worker = call.run(() => new Worker(forever, { eval: true }))
    const exited = once(worker, 'exit')
    expect(kinds(call)).toEqual([expect.stringMatching(/^worker /)])
    expect((await call.close()).severed).toMatchObject([{ kind: 'worker' }])
    await exited
    await once(
      call.run(() => new Worker(forever, { eval: true })),
      'exit',
    )
    expect(call.refused).toBe(1)
  })

  it('a UDP socket and a server are owned and closed at the end', async () => {
    const call = guard({ closeTimeout: 400 })
    const [udp, server] = call.run(() => [createSocket('udp4').bind(), createServer().listen(0)] as const)
    const closed = Promise.all([once(udp, 'close'), once(server, 'close')])
    expect(kinds(call)).toEqual(['udp socket', 'server'])
    expect((await call.close()).severed).toMatchObject([{ kind: 'udp socket' }, { kind: 'server' }])
    await closed
  })
})
