import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/scope/index.ts'

/** Blocks the process, as a busy tool or a suspended machine does. */
function block(ms: number): void {
  const until = systemClock.now() + ms
  while (systemClock.now() < until);
}

it('[SC21] a timeout does not fire if what it waits for arrived while the process was blocked', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const near = connect((server.address() as { port: number }).port, '127.0.0.1')
  onTestFinished(() => void near.destroy())
  const [far] = (await once(server, 'connection')) as [NodeJS.ReadWriteStream]
  const seen: string[] = []
  far.once('data', () => {
    seen.push('arrived')
    timeout.clear()
  })
  const later = new Promise<void>((resolve) => {
    systemClock.after(20, 'another one', () => (seen.push('another one'), resolve()))
  })
  const timeout = systemClock.after(10, 'a timeout', () => seen.push('timed out'))
  near.write('the answer')
  block(250)
  await later
  expect(seen).toEqual(['arrived', 'another one'])
})

it('[SC21] timers fire in order, although only the first of them is late', async () => {
  const seen: string[] = []
  systemClock.after(10, 'the late one', () => seen.push('the late one'))
  await new Promise<void>((resolve) => {
    systemClock.after(240, 'the punctual one', () => (seen.push('the punctual one'), resolve()))
    block(250)
  })
  expect(seen).toEqual(['the late one', 'the punctual one'])
})
