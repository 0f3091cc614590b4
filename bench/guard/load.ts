import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'

import { cpuTime, perCall } from '../sampling.ts'

/** Runs work as part of a session: in a guard, or without one. */
export type Run = <T>(work: () => T) => T

const awaits = 1_000
const ready = Promise.resolve()
// Many at once, so that their cost is measured and not the millisecond that they wait.
const timers = 5_000
const connects = 1_000
const sessions = 200
const framesPerSecond = 50
const stages = 5

/** Nanoseconds per `await` of a resolved promise. */
export async function awaitCost(run: Run): Promise<number> {
  const work = async (): Promise<void> => {
    for (let n = 0; n < awaits; n++) await ready
  }
  return ((await perCall(() => run(work))) / awaits) * 1_000
}

/** Microseconds per timer, from its start until it has fired. */
export async function timerCost(run: Run): Promise<number> {
  const work = async (): Promise<void> => {
    let left = timers
    await new Promise<void>((resolve) => {
      const fired = (): void => {
        if (--left === 0) resolve()
      }
      for (let n = 0; n < timers; n++) setTimeout(fired, 1)
    })
  }
  return (await perCall(() => run(work))) / timers
}

/** Microseconds per TCP connection, from `connect` until it is closed, on the client side alone. */
export async function connectCost(run: Run): Promise<number> {
  return withServer(async (url) => {
    const port = Number(new URL(url).port)
    const work = async (): Promise<void> => {
      for (let n = 0; n < connects; n++) {
        const socket = connect(port, '127.0.0.1')
        await once(socket, 'connect')
        socket.destroy()
        await once(socket, 'close')
      }
    }
    await run(work)
    return (await cpuTime(() => run(work))) / connects
  })
}

/** 200 sessions with 50 frames per second: a timer, ten awaits, a message to a server and its echo. They start silent. */
export async function talkingSessions(runs: (session: number) => Run): Promise<Talking> {
  const server = startServer()
  const [url] = (await once(server, 'message')) as [string]
  const calls = await Promise.all(Array.from({ length: sessions }, (_, n) => runs(n)(() => aCall(url))))
  const heard = (): number => calls.reduce((sum, { frames }) => sum + frames, 0)
  return {
    async cost(ms) {
      for (const call of calls) call.talks = true
      const before = heard()
      const took = await cpuTime(() => new Promise((resolve) => setTimeout(resolve, ms)))
      for (const call of calls) call.talks = false
      return took / (heard() - before)
    },
    end() {
      for (const call of calls) call.close()
      server.disconnect()
    },
  }
}

export interface Talking {
  /** Lets all sessions talk for a while. Returns microseconds of CPU time per frame. */
  cost(ms: number): Promise<number>
  end(): void
}

interface Call {
  talks: boolean
  frames: number
  close(): void
}

async function aCall(url: string): Promise<Call> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  const frame = new Uint8Array(640).fill(7)
  const send = async (): Promise<void> => socket.send(await throughStages(frame))
  const timer = setInterval(() => {
    if (call.talks) send().catch(() => {})
  }, 1_000 / framesPerSecond)
  const call: Call = {
    talks: false,
    frames: 0,
    close() {
      clearInterval(timer)
      socket.terminate()
    },
  }
  const receive = async (data: Uint8Array): Promise<void> => {
    await throughStages(data)
    call.frames++
  }
  socket.on('message', (data: Buffer) => {
    receive(data).catch(() => {})
  })
  return call
}

async function throughStages(frame: Uint8Array): Promise<Uint8Array> {
  for (let n = 0; n < stages; n++) await stage(frame)
  return frame
}

async function stage(frame: Uint8Array): Promise<Uint8Array> {
  let sum = 0
  for (const byte of frame) sum += byte
  return sum < 0 ? new Uint8Array() : frame
}

async function withServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const server = startServer()
  try {
    const [url] = (await once(server, 'message')) as [string]
    return await work(url)
  } finally {
    server.disconnect()
  }
}

const startServer = (): ChildProcess => fork(fileURLToPath(new URL('../link/far-end.js', import.meta.url)))
