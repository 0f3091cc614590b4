import type { Socket } from 'node:net'
import type { Neighbours } from '../../../src/host/reception/neighbours.ts'
import type { PassedRequest } from '../../../src/host/supervisor/messages.ts'
import type { TestProcess } from './process.ts'

/** Stands in for the supervisor: gives what one process passes on to another. */
export class Corridor implements Neighbours {
  readonly passed: number[] = []
  readonly own = 'w1'
  asked = 0
  to: TestProcess | undefined

  hasRoom(): Promise<boolean> {
    this.asked++
    return Promise.resolve(this.to !== undefined)
  }

  addressOf(): Promise<string | undefined> {
    return Promise.resolve(this.to && `127.0.0.1:${this.to.reception.port}`)
  }

  pass(socket: Socket, { head, hops }: PassedRequest, failed: () => void): void {
    this.passed.push(hops)
    if (!this.to) failed()
    else this.to.reception.accept(socket, { head, hops: hops + 1 })
  }
}
