import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { compiled } from '../../compiled.ts'
import { Program } from '../../program.ts'
import { ask, blocks } from './stage.ts'

/** Resolves when the process at the other end has ended. */
function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.resume().on('close', () => resolve())
  })
}

describe('workers whose supervisor was killed', () => {
  it('[HO22] close their calls and exit, even if they ignore everything or are stuck in native code', async () => {
    const host = new Program([compiled('fake-host'), compiled('fake-worker')], {
      env: { FAKE_WORKER: JSON.stringify({ blocks }) },
    })
    await host.until(() => host.lines.length === 3)
    const ports = host.lines.map(({ address }) => Number(String(address).split(':')[1]))
    const sockets = ports.map((port) => connect(port, '127.0.0.1'))
    await ask(ports[0]!, 'begin')
    expect(await ask(ports[1]!, 'deaf')).toBe('deaf')
    ask(ports[2]!, 'block exec').catch(() => {})
    host.signal('SIGKILL')
    await Promise.all(sockets.map(ended))
  })

  it('[HO22] are not ended by what they print, which nothing reads any more', async () => {
    const host = new Program([compiled('fake-host'), compiled('fake-worker')])
    await host.until(() => host.lines.length === 3)
    const lastWords = host.lines.map(({ address }) => ask(Number(String(address).split(':')[1]), 'follow'))
    // The workers have the command when they answer another.
    await Promise.all(host.lines.map(({ address }) => ask(Number(String(address).split(':')[1]), 'who')))
    host.signal('SIGKILL')
    expect(await Promise.all(lastWords)).toEqual(Array(3).fill('closed: supervisor-lost'))
  })
})
