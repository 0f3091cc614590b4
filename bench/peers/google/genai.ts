import { noop } from '../../../src/scope/index.ts'
import type { Case } from '../case.ts'
import { elapse } from '../ours.ts'
import { guardedCall } from '../told.ts'
import { clientOf, GenaiDesk } from './genai-desk.ts'
import { started, starting } from './ours.ts'

/** Live sessions of `@google/genai`. */
export const genai: readonly Case[] = [
  {
    name: 'genai-healthy',
    about: 'nothing misbehaves; the guarded one is the program of the guard’s page',
    shows: [],
    vendor: 'gemini',
    theirs: async (stage) => {
      if (stage.column === 'plain') return (await GenaiDesk.connected(stage)).call()
      const { answer } = await import('./genai-example.ts')
      return guardedCall(await answer(clientOf(stage), { onmessage: noop }))
    },
    ours: async (stage) => (await started(stage)).call(),
  },
  {
    name: 'genai-close-frame-ignored',
    about: 'the server does not answer the close frame',
    shows: ['no event', 'socket left', 'process stays'],
    vendor: 'gemini, ignores close frames',
    theirs: async (stage) => (await GenaiDesk.connected(stage)).call(),
    ours: async (stage) => (await started(stage)).call(),
  },
  {
    name: 'genai-connection-is-dead',
    about: 'the other side is gone, and nobody was told',
    shows: ['no event', 'socket left', 'process stays'],
    vendor: 'gemini, goes dead',
    theirs: async (stage) => {
      const desk = await GenaiDesk.connected(stage)
      await elapse(1_000)
      return desk.call()
    },
    ours: async (stage) => {
      const desk = await started(stage)
      await elapse(1_000)
      return desk.call()
    },
  },
  {
    name: 'genai-silent-upgrade',
    about: 'the upgrade is never answered: connect() never settles, so there is nothing to close',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, silent',
    short: true,
    theirs: (stage) => new GenaiDesk(stage).connecting(),
    ours: starting,
  },
  {
    name: 'genai-setup-pending',
    about: 'the setup is never completed: the same',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, never sets up',
    theirs: (stage) => new GenaiDesk(stage).connecting(),
    ours: starting,
  },
  {
    name: 'genai-refused',
    about: 'the connection is refused with 503: connect() never settles',
    shows: ['hangs'],
    vendor: 'gemini, refuses',
    theirs: (stage) => new GenaiDesk(stage).connecting(),
    ours: starting,
  },
  {
    name: 'genai-wrong-key',
    about: 'the key is refused, after the upgrade: connect() never settles',
    shows: ['hangs'],
    vendor: 'gemini, wants another key',
    theirs: (stage) => new GenaiDesk(stage).connecting(),
    ours: starting,
  },
  {
    name: 'genai-message-after-close',
    about: 'a message comes after the close, and the callback of the app throws',
    shows: ['process crashes'],
    unfair: 'the app does not expect messages after its close',
    vendor: 'gemini, answers close frames late',
    theirs: async (stage) => {
      const desk = await GenaiDesk.connected(stage)
      const call = desk.call()
      return {
        ...call,
        close: () => {
          desk.onMessage = () => {
            throw new Error('the call is over')
          }
          stage.far({ do: 'vendor', order: 'offer a handle' }).catch(noop)
          return call.close()
        },
      }
    },
    ours: async (stage) => {
      const desk = await started(stage)
      desk.session.on('closed', () => {
        throw new Error('the call is over')
      })
      return desk.call({
        close: () => {
          stage.far({ do: 'vendor', order: 'offer a handle' }).catch(noop)
          return desk.session.close()
        },
      })
    },
  },
  {
    name: 'genai-goaway-in-flight',
    about: 'the app connects again on goAway and is closed meanwhile: connect() cannot be called off',
    shows: ['socket left', 'process stays'],
    vendor: 'gemini, is slow to connect',
    theirs: async (stage) => {
      const desk = await GenaiDesk.connected(stage)
      const again = new Promise<void>((resolve) => {
        desk.onMessage = ({ goAway }) => {
          if (!goAway) return
          desk.connect().catch(noop)
          resolve()
        }
      })
      await stage.far({ do: 'vendor', order: 'go away' })
      await again
      return desk.call()
    },
    ours: async (stage) => {
      const desk = await started(stage)
      await stage.far({ do: 'vendor', order: 'offer a handle' })
      await stage.far({ do: 'vendor', order: 'go away' })
      await stage.seen({ connections: 2 })
      return desk.call()
    },
  },
]
