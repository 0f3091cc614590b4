import { noop, systemClock } from '../../src/scope/index.ts'
import type { Call } from './call.ts'

/** A phase of a provider's connection in which the session is closed. */
export interface Phase {
  readonly about: string
  /** Brings the call into the phase. */
  readonly arrive: (call: Call) => Promise<void>
  /** Runs right before the close, in the same turn of the event loop. */
  readonly meanwhile?: (call: Call) => void
  /** The providers that have this phase. Default: all. */
  readonly only?: (call: Call['subject']) => boolean
}

const holdsSocket: Phase['only'] = ({ holds }) => holds === 'a socket'

async function live(call: Call): Promise<void> {
  await call.session.start()
}

async function busy(call: Call): Promise<void> {
  await live(call)
  await call.keepBusy()
}

/** Drops the connection, and waits until the provider dials again. */
async function dropAndRedial(call: Call): Promise<void> {
  const { vendor } = call
  const before = vendor.total
  vendor.drop()
  // Some providers dial again only when they have work.
  call.work()
  await vendor.until(() => vendor.total > before)
}

export const phases: Readonly<Record<string, Phase>> = {
  connecting: {
    about: 'the upgrade is never answered',
    only: holdsSocket,
    arrive: async (call) => {
      call.vendor.manners = { connect: 'never' }
      call.session.start().catch(noop)
      await call.vendor.until(() => call.vendor.total > 0)
    },
  },
  'setting up': {
    about: 'the connection is open, and the setup is never confirmed',
    only: ({ setsUp }) => setsUp !== undefined,
    arrive: async (call) => {
      call.vendor.deaf = true
      call.session.start().catch(noop)
      const { vendor, subject } = call
      await vendor.until(() => (subject.setsUp === 'vendor first' ? vendor.accepted : vendor.messages) > 0)
    },
  },
  unanswered: {
    about: 'a request has no response headers yet',
    only: ({ holds }) => holds === 'requests',
    arrive: async (call) => {
      const { vendor } = call
      call.stopAnswering()
      // A toolset sends requests while the session starts, a model when it has to answer.
      call.session.start().then(() => call.work(), noop)
      await vendor.until(() => vendor.open > 0)
    },
  },
  'refused at the start': {
    about: 'every connection is refused',
    only: holdsSocket,
    arrive: async (call) => {
      call.vendor.manners = { refuse: 503 }
      call.session.start().catch(noop)
      await call.vendor.until(() => call.vendor.total > 1)
    },
  },
  idle: { about: 'the connection is open and idle', arrive: live },
  busy: { about: 'the provider is working', arrive: busy },
  'backing off': {
    about: 'the connection was dropped, and new ones are refused',
    only: holdsSocket,
    arrive: async (call) => {
      await busy(call)
      call.vendor.manners = { refuse: 503 }
      await dropAndRedial(call)
    },
  },
  'dialling again': {
    about: 'the connection was dropped, and the new upgrade is never answered',
    only: holdsSocket,
    arrive: async (call) => {
      await busy(call)
      call.vendor.manners = { connect: 'never' }
      await dropAndRedial(call)
    },
  },
  'half-open': {
    about: 'the vendor has disappeared without closing the connection',
    only: holdsSocket,
    arrive: async (call) => {
      call.vendor.manners = { halfOpenAfter: 200, closeReply: 'never' }
      await live(call)
      await new Promise<void>((resolve) => {
        systemClock.after(300, 'half-open', resolve)
      })
    },
  },
  'close frame ignored': {
    about: "the vendor answers neither our close frame nor the protocol's own end",
    only: holdsSocket,
    arrive: async (call) => {
      call.vendor.manners = { closeReply: 'never' }
      await busy(call)
    },
  },
  'dropped meanwhile': {
    about: 'the connection breaks at the moment of the close',
    only: holdsSocket,
    arrive: busy,
    meanwhile: ({ vendor }) => vendor.drop(),
  },
  'closed meanwhile': {
    about: 'the vendor closes the connection with 1000 at the moment of the close',
    only: holdsSocket,
    arrive: busy,
    meanwhile: ({ vendor }) => vendor.closeAll(1000, 'goodbye'),
  },
  'idle end': {
    about: 'the vendor has closed an idle connection, and the link sleeps',
    only: ({ idleEnd }) => idleEnd !== undefined,
    arrive: async (call) => {
      const { vendor, subject } = call
      await live(call)
      vendor.closeAll(subject.idleEnd!.code, subject.idleEnd!.reason)
      await vendor.until(() => vendor.open === 0)
    },
  },
  'idle end meanwhile': {
    about: 'the vendor closes an idle connection at the moment of the close',
    only: ({ idleEnd }) => idleEnd !== undefined,
    arrive: live,
    meanwhile: ({ vendor, subject }) => vendor.closeAll(subject.idleEnd!.code, subject.idleEnd!.reason),
  },
  'going away': {
    about: 'the vendor announces the end of the connection at the moment of the close',
    only: ({ ends }) => ends === 'going away',
    arrive: busy,
    meanwhile: (call) => call.announceEnd(),
  },
  expired: {
    about: 'the vendor reports an expired session at the moment of the close',
    only: ({ ends }) => ends === 'expired',
    arrive: busy,
    meanwhile: (call) => call.announceEnd(),
  },
  'taking over': {
    about: 'the model is lost, and the next one is being connected',
    only: ({ ends }) => ends === 'lost',
    arrive: async (call) => {
      await busy(call)
      const before = call.vendor.total
      call.announceEnd()
      // The lost model dials once more, and is refused.
      await call.vendor.until(() => call.vendor.total > before + 1)
    },
  },
  'stuck hook': {
    about: "the agent's exit hook never returns",
    arrive: async (call) => {
      call.stuck = true
      await busy(call)
    },
  },
}
