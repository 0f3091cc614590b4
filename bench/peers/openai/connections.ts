import { RealtimeAgent } from '@openai/agents/realtime'
import { noop } from '../../../src/scope/index.ts'
import type { Case } from '../case.ts'
import { ClosedEvents } from '../closed-events.ts'
import { elapse } from '../ours.ts'
import { guardedCall } from '../guarded-call.ts'
import { OpenAISubject, urlOf } from './openai-subject.ts'
import { prepare, started } from './ours.ts'

/** The connection to the model misbehaves. */
export const connections: readonly Case[] = [
  {
    name: 'healthy',
    about: 'nothing misbehaves; the guarded run is the program in docs/guard.md',
    shows: [],
    vendor: 'openai, answers close frames',
    theirs: async (context) => {
      if (context.column === 'plain') return (await OpenAISubject.connected(context)).call()
      const { answer } = await import('./example.ts')
      const agent = new RealtimeAgent({ name: 'desk', instructions: 'You answer the phone.' })
      return guardedCall(await answer(agent, { apiKey: 'key', url: urlOf(context) }))
    },
    ours: async (context) => (await started(context)).call(),
  },
  {
    name: 'close-frame-ignored',
    about: 'the server does not answer the close frame, as reported of the vendor’s server',
    shows: ['socket left', 'process stays'],
    vendor: 'openai',
    short: true,
    theirs: async (context) => (await OpenAISubject.connected(context)).call(),
    ours: async (context) => (await started(context)).call(),
  },
  {
    name: 'close-frame-ignored-while-speaking',
    about: 'the same, in the middle of an answer',
    shows: ['socket left', 'process stays'],
    vendor: 'openai',
    theirs: async (context) => {
      const subject = await OpenAISubject.connected(context)
      const speaks = new Promise((resolve) => subject.session.on('audio', resolve))
      subject.ask()
      await speaks
      return subject.call()
    },
    ours: async (context) => {
      const subject = await started(context)
      await subject.speaks()
      return subject.call()
    },
  },
  {
    name: 'connection-is-dead',
    about: 'the other side has disappeared without closing the connection',
    shows: ['socket left', 'process stays'],
    vendor: 'openai, goes dead',
    theirs: async (context) => {
      const subject = await OpenAISubject.connected(context)
      await elapse(800)
      return subject.call()
    },
    ours: async (context) => {
      const subject = await started(context)
      await elapse(800)
      return subject.call()
    },
  },
  {
    name: 'silent-upgrade',
    about: 'the upgrade is never answered, and the app waits for connect()',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'openai, silent',
    short: true,
    theirs: async (context) => {
      const subject = await OpenAISubject.prepare(context)
      const connecting = subject.connect()
      connecting.catch(noop)
      await context.seen({ connections: 1 })
      return subject.call({ close: () => connecting.catch(noop) })
    },
    ours: async (context) => {
      const subject = prepare(context, { session: { startTimeout: 2_000 } })
      const starting = subject.session.start()
      await context.seen({ connections: 1 })
      return subject.call({ close: () => starting.catch(noop) })
    },
  },
  {
    name: 'closed-while-connecting',
    about: 'the same, but the app closes the session',
    shows: [],
    vendor: 'openai, silent',
    theirs: async (context) => {
      const call = (await OpenAISubject.prepare(context)).connecting()
      await context.seen({ connections: 1 })
      return call
    },
    ours: async (context) => {
      const call = prepare(context).starting()
      await context.seen({ connections: 1 })
      return call
    },
  },
  {
    name: 'instructions-never-come',
    about: 'the agent’s instructions never resolve; the app closes the session, and waits for connect()',
    ourFault: 'instructions are a string; the enter hook never returns instead',
    shows: ['hangs', 'no event'],
    vendor: 'openai, answers close frames',
    theirs: async (context) => {
      const [reached, never] = stuck()
      const call = (await OpenAISubject.prepare(context, { instructions: never })).connecting()
      await reached
      return call
    },
    ours: async (context) => {
      const [reached, never] = stuck()
      const call = prepare(context, { agent: { onEnter: never } }).starting()
      await reached
      return call
    },
  },
  {
    name: 'drop',
    about: 'the connection breaks, and only the transport of the session emits an event',
    ourFault: 'the session connects again and is closed then',
    shows: ['no event'],
    vendor: 'openai',
    theirs: async (context) => {
      const subject = await OpenAISubject.connected(context)
      const call = subject.endsByItself()
      const heard = new ClosedEvents()
      subject.session.on('error', heard.emit)
      await context.far({ do: 'vendor', order: 'break the connection' })
      return context.column === 'plain' ? { ...call, onClosed: heard.on } : call
    },
    // A session of endwell connects again and goes on, so it has to be closed.
    ours: async (context) => {
      const subject = await started(context)
      await context.far({ do: 'vendor', order: 'break the connection' })
      await context.seen({ connections: 2 })
      return subject.call()
    },
  },
  {
    name: 'listener-throws',
    about: 'a listener of the close event throws',
    shows: ['rejects', 'socket left', 'process stays'],
    vendor: 'openai',
    theirs: async (context) => {
      const subject = await OpenAISubject.connected(context)
      subject.session.transport.on('connection_change', () => {
        throw new Error('a listener has failed')
      })
      return subject.call()
    },
    ours: async (context) => {
      const subject = await started(context)
      subject.session.on('closed', () => {
        throw new Error('a listener has failed')
      })
      return subject.call()
    },
  },
]

/** A function that never returns, and a promise that resolves when it is called. */
function stuck(): [reached: Promise<void>, never: () => Promise<never>] {
  let reach: () => void = noop
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const never = (): Promise<never> => {
    reach()
    return new Promise(noop)
  }
  return [reached, never]
}
