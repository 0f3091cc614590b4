import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Block } from '../../../src/host/supervisor/messages.ts'
import { Supervisor } from '../../../src/host/supervisor/supervisor.ts'
import type { SupervisorOptions } from '../../../src/host/supervisor/supervisor-options.ts'
import { Changes } from '../../../src/testing/servers/changes.ts'
import { compiled } from '../../compiled.ts'

export const blocks = fileURLToPath(new URL('./blocks.mjs', import.meta.url))

interface StageOptions extends Partial<SupervisorOptions> {
  /** See `fake-worker.ts`. */
  readonly behaviour?: object
}

/** A supervisor with fake workers in real processes, and everything that happened to them. */
export class Stage implements AsyncDisposable {
  readonly events: string[] = []
  readonly lines: string[] = []
  readonly blocked: (Block & { readonly worker: string })[] = []
  readonly orphaned: string[] = []
  readonly #changes = new Changes()
  #supervisor: Supervisor | undefined
  code: number | undefined

  static async open({ behaviour = {}, ...options }: StageOptions = {}): Promise<Stage> {
    const stage = new Stage()
    const happened = (event: string): void => {
      stage.events.push(event)
      stage.#changes.notify()
    }
    stage.#supervisor = await Supervisor.start({
      calls: {
        entry: compiled('fake-worker'),
        execArgv: [],
        env: { ...process.env, FAKE_WORKER: JSON.stringify({ blocks, ...behaviour }) },
      },
      closeTimeout: 2_000,
      journal: {
        orphan: (worker) => {
          stage.orphaned.push(worker)
          happened(`orphan ${worker}`)
          return Promise.resolve(0)
        },
        leave: () => Promise.resolve(happened('leave')),
      },
      request: (worker, body) => {
        if (body === 'fail') throw Object.assign(new Error('no disk'), { code: 'JOURNAL' })
        return { worker, body }
      },
      ...options,
      listener: {
        started: (worker) => happened(`started ${worker}`),
        ready: (worker) => happened(`ready ${worker}`),
        exited: (worker, code, signal) => happened(`exited ${worker} ${signal ?? code}`),
        replaced: (worker, _, why) => happened(`replaced ${worker} ${why}`),
        paused: (_, pause) => happened(`paused ${pause}`),
        blocked: (worker, block) => {
          stage.blocked.push({ worker, ...block })
          happened(`blocked ${worker} ${block.how}`)
        },
        misbehaved: (worker) => happened(`misbehaved ${worker}`),
        readiness: (ready) => happened(ready ? 'ready' : 'not ready'),
        line: (worker, stream, line) => {
          stage.lines.push(`${worker} ${stream}: ${line}`)
          stage.#changes.notify()
        },
      },
    })
    stage.supervisor.ended.then(
      (code) => {
        stage.code = code
        stage.#changes.notify()
      },
      () => {},
    )
    return stage
  }

  get supervisor(): Supervisor {
    return this.#supervisor!
  }

  /** Resolves once this has happened. */
  async happens(event: string): Promise<void> {
    await this.until(() => this.events.includes(event))
  }

  until(met: () => boolean): Promise<void> {
    return this.#changes.until(met)
  }

  pidOf(worker: string): number {
    return this.supervisor.workers.find(({ name }) => name === worker)!.pid!
  }

  /** Sends a command to a worker, and resolves to its answer; undefined if the connection ended before. */
  async ask(worker: string, command: string): Promise<string | undefined> {
    await this.happens(`ready ${worker}`)
    const { address = '' } = this.supervisor.workers.find(({ name }) => name === worker)!
    return ask(Number(address.split(':')[1]), command)
  }

  async ended(): Promise<number> {
    await this.until(() => this.code !== undefined)
    return this.code!
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let count = 0; count < 3; count++) this.supervisor.signal()
    await this.supervisor.ended
  }
}

/** Sends a command to a port of this machine, and resolves to its answer; undefined if the connection ended before. */
export function ask(port: number, command: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\n`))
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      resolve(text.trim())
      socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(undefined))
  })
}
