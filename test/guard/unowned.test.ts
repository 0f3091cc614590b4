import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { guard, outside } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { RemoteServer } from './remote-server.ts'

let remote: RemoteServer
beforeEach(async () => {
  remote = await RemoteServer.listen()
})
afterEach(() => remote.close())

const dial = (): Promise<unknown> => once(connect(remote.port, '127.0.0.1'), 'connect')

it('a connection outside its context is reported and makes a graceful end unverified', async () => {
  const call = guard({ close: () => {} })
  await dial()
  const report = await call.close()
  expect(report).toMatchObject({
    graceful: 'unverified',
    clean: true,
    unowned: [{ to: `127.0.0.1:${remote.port}`, age: expect.any(Number) }],
  })
  expect(remote.open).toBe(1)
})

it('a connection does not count as unowned if it is older, has ended, is ignored, or was opened in outside()', async () => {
  const early = guard()
  await dial()
  const call = guard({ ignore: (to) => to.endsWith(':1') })
  const socket = connect(remote.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
  await once(socket, 'close')
  await outside(dial)
  expect(await call.close()).toMatchObject({ graceful: true, unowned: [] })

  const knowing = guard({ ignore: (to) => to === `127.0.0.1:${remote.port}` })
  await dial()
  expect(await knowing.close()).toMatchObject({ graceful: true, unowned: [] })
  expect(await early.close()).toMatchObject({ graceful: 'unverified' })
})

it('an unowned connection does not turn an end that was not graceful into an unverified one', async () => {
  const call = guard({ closeTimeout: 300, close: () => Promise.reject(new Error('no')) })
  await dial()
  expect(await call.close()).toMatchObject({ graceful: false, unowned: [{}] })
})

it('an unowned connection causes a warning with its stack in development, once per place', async () => {
  const warnings: (Error & { code?: string; detail?: string })[] = []
  const listener = (warning: Error): void => void warnings.push(warning)
  process.on('warning', listener)
  const call = guard()
  for (let i = 0; i < 3; i++) await once(connect(remote.port, '127.0.0.1'), 'connect')
  await outside(dial)
  await call.run(dial)
  await new Promise(setImmediate)
  process.off('warning', listener)
  const ours = warnings.filter(({ code }) => code === 'ENDWELL_UNOWNED')
  expect(ours).toHaveLength(1)
  expect(ours[0]).toMatchObject({ name: 'GuardWarning', message: expect.stringContaining('outside()') })
  expect(ours[0]?.detail).toContain('unowned.test.ts')
  call.abort()
})

it('an unowned connection causes no warning in production', async () => {
  const before = process.env['NODE_ENV']
  process.env['NODE_ENV'] = 'production'
  const warnings: unknown[] = []
  const listener = (warning: Error): void => void warnings.push(warning)
  process.on('warning', listener)
  const call = guard()
  await once(connect(remote.port, '127.0.0.1'), 'connect')
  await new Promise(setImmediate)
  process.off('warning', listener)
  process.env['NODE_ENV'] = before
  expect(warnings).toEqual([])
  call.abort()
})
