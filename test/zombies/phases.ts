import { noop, systemClock } from '../../src/scope/index.ts'
import type { Call } from './call.ts'

/** A phase in the life of a provider's connection, and what happens in the very moment of the close. */
export interface Phase {
  readonly about: string
  /** Brings the call there. */
  readonly arrive: (call: Call) => Promise<void>
  /** Happens in the same turn of the event loop as the close, before it. */
  readonly meanwhile?: (call: Call) => void
  /** For which providers it makes sense; all unless set. */
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

/** After a drop, until the other side has seen it dial again. */
async function dialledAgain(call: Call): Promise<void> {
  const { far } = call
  const before = far.total
  far.drop()
  // Some dial again only when there is something to do.
  call.work()
  await far.until(() => far.total > before)
}

export const phases: Readonly<Record<string, Phase>> = {
  connecting: {
    about: 'its upgrade is never answered',
    only: holdsSocket,
    arrive: async (call) => {
      call.far.manners = { connect: 'never' }
      call.session.start().catch(noop)
      await call.far.until(() => call.far.total > 0)
    },
  },
  'setting up': {
    about: 'it is open, and the setup is never agreed to',
    only: ({ setsUp = false }) => setsUp,
    arrive: async (call) => {
      call.far.deaf = true
      call.session.start().catch(noop)
      await call.far.until(() => call.far.messages > 0)
    },
  },
  unanswered: {
    about: 'a request has not even headers yet',
    only: ({ holds }) => holds === 'requests',
    arrive: async (call) => {
      const { far } = call
      call.goUnanswered()
      // A toolset asks while the session starts; a model when it has to think.
      call.session.start().then(() => call.work(), noop)
      await far.until(() => far.open > 0)
    },
  },
  'refused at the start': {
    about: 'it is refused again and again',
    only: holdsSocket,
    arrive: async (call) => {
      call.far.manners = { refuse: 503 }
      call.session.start().catch(noop)
      await call.far.until(() => call.far.total > 1)
    },
  },
  idle: { about: 'it is open, and nothing happens', arrive: live },
  busy: { about: 'it is in the middle of its work', arrive: busy },
  'backing off': {
    about: 'it was dropped and is refused since',
    only: holdsSocket,
    arrive: async (call) => {
      await busy(call)
      call.far.manners = { refuse: 503 }
      await dialledAgain(call)
    },
  },
  'dialling again': {
    about: 'it was dropped, and the new upgrade is never answered',
    only: holdsSocket,
    arrive: async (call) => {
      await busy(call)
      call.far.manners = { connect: 'never' }
      await dialledAgain(call)
    },
  },
  'half-open': {
    about: 'the other side is gone, and nobody has told us',
    only: holdsSocket,
    arrive: async (call) => {
      call.far.manners = { halfOpenAfter: 200, closeReply: 'never' }
      await live(call)
      await new Promise<void>((resolve) => {
        systemClock.after(300, 'half-open', resolve)
      })
    },
  },
  'close frame ignored': {
    about: 'the other side does not answer our close frame, nor our goodbye',
    only: holdsSocket,
    arrive: async (call) => {
      call.far.manners = { closeReply: 'never' }
      await busy(call)
    },
  },
  'dropped meanwhile': {
    about: 'it breaks in the moment of the close',
    only: holdsSocket,
    arrive: busy,
    meanwhile: ({ far }) => far.drop(),
  },
  'closed meanwhile': {
    about: 'the other side closes it with 1000 in the moment of the close',
    only: holdsSocket,
    arrive: busy,
    meanwhile: ({ far }) => far.hangUp(1000, 'goodbye'),
  },
  'idle end': {
    about: 'the vendor has closed it because nothing happened: it sleeps',
    only: ({ idleEnd }) => idleEnd !== undefined,
    arrive: async (call) => {
      const { far, subject } = call
      await live(call)
      far.hangUp(subject.idleEnd!.code, subject.idleEnd!.reason)
      await far.until(() => far.open === 0)
    },
  },
  'idle end meanwhile': {
    about: 'the vendor closes it because nothing happened, in the moment of the close',
    only: ({ idleEnd }) => idleEnd !== undefined,
    arrive: live,
    meanwhile: ({ far, subject }) => far.hangUp(subject.idleEnd!.code, subject.idleEnd!.reason),
  },
  'going away': {
    about: 'the vendor says in the moment of the close that it will end the connection soon',
    only: ({ ends }) => ends === 'going away',
    arrive: busy,
    meanwhile: (call) => call.saysEnd(),
  },
  expired: {
    about: 'the vendor says in the moment of the close that the session has expired',
    only: ({ ends }) => ends === 'expired',
    arrive: busy,
    meanwhile: (call) => call.saysEnd(),
  },
  'stuck hook': {
    about: 'an exit hook of the agent never returns: the connection does not wait for it',
    arrive: async (call) => {
      call.stuck = true
      await busy(call)
    },
  },
}
