import { RealtimeAgent } from '@openai/agents/realtime'
import { noop } from '../../../src/scope/index.ts'
import type { Case } from '../case.ts'
import { Ends } from '../ends.ts'
import { elapse } from '../ours.ts'
import { guardedCall } from '../told.ts'
import { Desk, urlOf } from './desk.ts'
import { prepare, started } from './ours.ts'

/** What the connection to the model does. */
export const connections: readonly Case[] = [
  {
    name: 'healthy',
    about: 'nothing misbehaves; the guarded one is the program of the guard’s page',
    shows: [],
    vendor: 'openai, answers close frames',
    theirs: async (stage) => {
      if (stage.column === 'plain') return (await Desk.connected(stage)).call()
      const { answer } = await import('./example.ts')
      const agent = new RealtimeAgent({ name: 'desk', instructions: 'You answer the phone.' })
      return guardedCall(await answer(agent, { apiKey: 'key', url: urlOf(stage) }))
    },
    ours: async (stage) => (await started(stage)).call(),
  },
  {
    name: 'close-frame-ignored',
    about: 'the server does not answer the close frame, as the vendor’s is reported not to',
    shows: ['socket left', 'process stays'],
    vendor: 'openai',
    short: true,
    theirs: async (stage) => (await Desk.connected(stage)).call(),
    ours: async (stage) => (await started(stage)).call(),
  },
  {
    name: 'close-frame-ignored-while-speaking',
    about: 'the same, in the middle of an answer',
    shows: ['socket left', 'process stays'],
    vendor: 'openai',
    theirs: async (stage) => {
      const desk = await Desk.connected(stage)
      const speaks = new Promise((resolve) => desk.session.on('audio', resolve))
      desk.ask()
      await speaks
      return desk.call()
    },
    ours: async (stage) => {
      const desk = await started(stage)
      await desk.speaks()
      return desk.call()
    },
  },
  {
    name: 'connection-is-dead',
    about: 'the other side is gone, and nobody was told',
    shows: ['socket left', 'process stays'],
    vendor: 'openai, goes dead',
    theirs: async (stage) => {
      const desk = await Desk.connected(stage)
      await elapse(800)
      return desk.call()
    },
    ours: async (stage) => {
      const desk = await started(stage)
      await elapse(800)
      return desk.call()
    },
  },
  {
    name: 'silent-upgrade',
    about: 'the upgrade is never answered; the app waits for connect()',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'openai, silent',
    short: true,
    theirs: async (stage) => {
      const desk = await Desk.prepare(stage)
      const connecting = desk.connect()
      connecting.catch(noop)
      await stage.seen({ connections: 1 })
      return desk.call({ close: () => connecting.catch(noop) })
    },
    ours: async (stage) => {
      const desk = prepare(stage, { session: { startTimeout: 2_000 } })
      const starting = desk.session.start()
      await stage.seen({ connections: 1 })
      return desk.call({ close: () => starting.catch(noop) })
    },
  },
  {
    name: 'closed-while-connecting',
    about: 'the same; the app closes, and connect() is told',
    shows: [],
    vendor: 'openai, silent',
    theirs: async (stage) => {
      const call = (await Desk.prepare(stage)).connecting()
      await stage.seen({ connections: 1 })
      return call
    },
    ours: async (stage) => {
      const call = prepare(stage).starting()
      await stage.seen({ connections: 1 })
      return call
    },
  },
  {
    name: 'instructions-never-come',
    about: 'the agent’s instructions never come; the app closes, and waits for connect()',
    ourFault: 'instructions are a text; the enter hook never returns',
    shows: ['hangs', 'no event'],
    vendor: 'openai, answers close frames',
    theirs: async (stage) => {
      const [reached, never] = stuck()
      const call = (await Desk.prepare(stage, { instructions: never })).connecting()
      await reached
      return call
    },
    // Instructions are a text here; what may hang is the hook that goes before them.
    ours: async (stage) => {
      const [reached, never] = stuck()
      const call = prepare(stage, { agent: { onEnter: never } }).starting()
      await reached
      return call
    },
  },
  {
    name: 'drop',
    about: 'the connection breaks: the session does not say so, only its transport does',
    ourFault: 'it connects again, and is closed then',
    shows: ['no event'],
    vendor: 'openai',
    theirs: async (stage) => {
      const desk = await Desk.connected(stage)
      const call = desk.unasked()
      const heard = new Ends()
      desk.session.on('error', heard.tell)
      await stage.far({ do: 'vendor', order: 'break the connection' })
      return stage.column === 'plain' ? { ...call, onClosed: heard.listen } : call
    },
    // Ours connects again and goes on: somebody has to end it.
    ours: async (stage) => {
      const desk = await started(stage)
      await stage.far({ do: 'vendor', order: 'break the connection' })
      await stage.seen({ connections: 2 })
      return desk.call()
    },
  },
  {
    name: 'listener-throws',
    about: 'a listener of the end throws',
    shows: ['rejects', 'socket left', 'process stays'],
    vendor: 'openai',
    theirs: async (stage) => {
      const desk = await Desk.connected(stage)
      desk.session.transport.on('connection_change', () => {
        throw new Error('a listener has failed')
      })
      return desk.call()
    },
    ours: async (stage) => {
      const desk = await started(stage)
      desk.session.on('closed', () => {
        throw new Error('a listener has failed')
      })
      return desk.call()
    },
  },
]

/** Something that never returns, and when it was called. */
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
