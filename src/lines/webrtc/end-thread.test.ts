import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { systemClock, type Timer } from '../../scope/index.ts'
import { endThread } from './end-thread.ts'

/** A thread that handles UDP packets in the callbacks of promises, as werift does, and may be blocked in one. */
const program = `
  const { createSocket } = require('node:dgram')
  const { parentPort: port } = require('node:worker_threads')
  let isBlocked = false
  const socket = createSocket('udp4', async () => {
    await undefined
    if (isBlocked) { isBlocked = false; port.postMessage('blocked'); for (;;); }
    for (let i = 0; i < 200_000; i++);
  })
  socket.bind(0, '127.0.0.1', () => port.postMessage(socket.address().port))
  port.on('message', ({ type }) => {
    if (type === 'block') isBlocked = true
    else process.exit()
  })
`

describe('the end of a thread that gets packets', () => {
  it.each(['busy', 'blocked'])('[WR6] harms nothing else in the process if the thread is %s', async (how) => {
    const sender = createSocket('udp4')
    for (let round = 0; round < 2; round++) {
      const worker = new Worker(program, { eval: true })
      const [port] = (await once(worker, 'message')) as [number]
      let packets: Timer
      const send = (): void => {
        for (let i = 0; i < 5; i++) sender.send('packet', port, '127.0.0.1')
        packets = systemClock.after(2, 'packets', send)
      }
      send()
      const exited = once(worker, 'exit')
      if (how === 'blocked') {
        worker.postMessage({ type: 'block' }, [])
        await once(worker, 'message')
      }
      endThread(worker, systemClock)
      expect(await exited).toEqual([0])
      packets!.clear()
    }
    sender.close()
  })
})
