import type { Duplex } from 'node:stream'
import type { FaultBoard } from '../host/index.ts'
import { systemClock, type Intercept } from '../scope/index.ts'
import type { Agent, Session } from '../session/index.ts'
import { Faults, type Fault } from '../testing/index.ts'

/** The parts of a call that a fault can affect. */
export interface Afflicted {
  readonly agent: Agent
  /** Breaks the connection of the STT, or of the realtime model. */
  breakModel(): void
}

interface NamedFault {
  readonly about: string
  /** Steps of the session that fail, by name. */
  readonly steps?: (call: Afflicted) => Readonly<Record<string, Fault>>
  /** Runs in every call when the fault is switched on. */
  readonly strikes?: (call: Afflicted) => void
  /** Runs for the socket of every page when the fault is switched on. */
  readonly cuts?: (tcp: Duplex) => void
  /** Runs for every session while the fault is on. */
  readonly spoils?: (session: Session) => void
}

const boom = (): never => {
  throw new Error('this listener throws on purpose')
}

const named: Readonly<Record<string, NamedFault>> = {
  'tool never ends': {
    about: 'Every tool hangs and ignores its signal. Ask for something, then hang up.',
    steps: ({ agent }) =>
      Object.fromEntries(Object.keys(agent.tools).map((name) => [`task:${name}`, 'hang'])),
  },
  'close hangs': {
    about: 'Connections, workers and processes never finish closing, and have to be aborted.',
    steps: () => ({ 'close:*': 'hang' }),
  },
  'close throws': {
    about: 'Every close throws an error. Later steps still have to run.',
    steps: () => ({ 'close:*': 'throw' }),
  },
  'exit hook never returns': {
    about: 'The exit hook of the agent hangs.',
    steps: ({ agent }) => ({ [`task:exit hook of '${agent.name}'`]: 'hang' }),
  },
  'listener throws': {
    about: 'Every listener of the session throws an error, also at its end.',
    spoils: (session) => {
      for (const name of ['state', 'user', 'spoken', 'closed'] as const) session.on(name, boom)
    },
  },
  'provider drops': {
    about: 'The connection to the STT breaks now, for good.',
    strikes: (call) => call.breakModel(),
  },
  'half-open peer': {
    about: 'The connection to the page stays open, but nothing arrives. Only a watchdog notices.',
    cuts: (tcp) => tcp.pause(),
  },
  'line vanishes': {
    about: 'The connection to the page breaks. The page rejoins the call.',
    cuts: (tcp) => tcp.destroy(),
  },
}

/** Faults that the page can switch on, for current and future calls. Not for production. */
export class FaultSwitches implements FaultBoard {
  #on = new Set<string>()
  readonly #calls = new Map<Faults, { readonly call: Afflicted; readonly session: Session }>()
  readonly #sockets = new Set<Duplex>()

  list(): { readonly name: string; readonly about: string }[] {
    return Object.entries(named).map(([name, { about }]) => ({ name, about }))
  }

  set(names: readonly string[]): void {
    const fresh = names.filter((name) => !this.#on.has(name)).map((name) => named[name])
    this.#on = new Set(names)
    for (const [faults, { call, session }] of this.#calls) {
      this.#arm(faults, call)
      for (const fault of fresh) {
        fault?.strikes?.(call)
        fault?.spoils?.(session)
      }
    }
    for (const fault of fresh) for (const tcp of this.#sockets) fault?.cuts?.(tcp)
  }

  /** Adds the socket of a page. */
  watch(tcp: Duplex): void {
    this.#sockets.add(tcp)
    tcp.once('close', () => this.#sockets.delete(tcp))
  }

  /** Returns the session option that injects the faults, and a function to call with the session. */
  afflict(call: Afflicted): { readonly intercept: Intercept; readonly follow: (session: Session) => void } {
    const faults = new Faults((ms) => new Promise((resolve) => void systemClock.after(ms, 'fault', resolve)))
    this.#arm(faults, call)
    const follow = (session: Session): void => {
      this.#calls.set(faults, { call, session })
      for (const name of this.#on) named[name]?.spoils?.(session)
      session.on('closed', () => void this.#calls.delete(faults))
    }
    return { intercept: faults.intercept, follow }
  }

  #arm(faults: Faults, call: Afflicted): void {
    faults.clear()
    for (const name of this.#on)
      for (const [step, fault] of Object.entries(named[name]?.steps?.(call) ?? {})) faults.set(step, fault)
  }
}
