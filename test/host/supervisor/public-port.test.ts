import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { PublicPort, type Taker } from '../../../src/host/supervisor/public-port.ts'
import { Changes } from '../../../src/testing/servers/changes.ts'

const gone: Taker = { hand: (_, failed) => failed() }

/** Takes connections, and keeps them. */
class Keeper implements Taker {
  readonly sockets: Socket[] = []
  readonly changes = new Changes()

  hand(socket: Socket): void {
    this.sockets.push(socket)
    this.changes.notify()
  }
}

it('[HO24] a connection waits if the only worker is gone and its exit is not known yet', async () => {
  const keeper = new Keeper()
  let tries = 0
  const changes = new Changes()
  const dying: Taker = {
    hand: (_, failed) => {
      tries++
      failed()
      changes.notify()
    },
  }
  let takers: readonly Taker[] = [dying]
  const port = await PublicPort.open({ port: 0, host: '127.0.0.1' }, () => takers)
  const caller = connect(port.port, '127.0.0.1')
  await changes.until(() => tries === 1)
  takers = [keeper]
  port.offer()
  expect(keeper.sockets).toHaveLength(1)
  for (const socket of [caller, ...keeper.sockets]) socket.destroy()
  port.close()
})

it('[HO24] a connection goes to another worker if one is gone and its exit is not known yet', async () => {
  const keeper = new Keeper()
  const port = await PublicPort.open({ port: 0, host: '127.0.0.1' }, () => [gone, keeper, gone])
  const callers = Array.from({ length: 5 }, () => connect(port.port, '127.0.0.1'))
  await keeper.changes.until(() => keeper.sockets.length === 5)
  for (const socket of [...callers, ...keeper.sockets]) socket.destroy()
  port.close()
})
