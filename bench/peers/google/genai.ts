import { noop } from '../../../src/scope/index.ts'
import type { Case } from '../case.ts'
import { elapse } from '../ours.ts'
import { guardedCall } from '../guarded-call.ts'
import { clientOf, GenaiSubject } from './genai-subject.ts'
import { started, starting } from './ours.ts'

/** Live sessions of `@google/genai`. */
export const genai: readonly Case[] = [
  {
    name: 'genai-healthy',
    about: 'nothing misbehaves; the guarded run is the program in docs/guard.md',
    shows: [],
    vendor: 'gemini',
    theirs: async (context) => {
      if (context.column === 'plain') return (await GenaiSubject.connected(context)).call()
      const { answer } = await import('./genai-example.ts')
      return guardedCall(await answer(clientOf(context), { onmessage: noop }))
    },
    ours: async (context) => (await started(context)).call(),
  },
  {
    name: 'genai-close-frame-ignored',
    about: 'the server does not answer the close frame',
    shows: ['no event', 'socket left', 'process stays'],
    vendor: 'gemini, ignores close frames',
    theirs: async (context) => (await GenaiSubject.connected(context)).call(),
    ours: async (context) => (await started(context)).call(),
  },
  {
    name: 'genai-connection-is-dead',
    about: 'the other side has disappeared without closing the connection',
    shows: ['no event', 'socket left', 'process stays'],
    vendor: 'gemini, goes dead',
    theirs: async (context) => {
      const subject = await GenaiSubject.connected(context)
      await elapse(1_000)
      return subject.call()
    },
    ours: async (context) => {
      const subject = await started(context)
      await elapse(1_000)
      return subject.call()
    },
  },
  {
    name: 'genai-silent-upgrade',
    about: 'the upgrade is never answered; connect() never settles, so there is nothing to close',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, silent',
    short: true,
    theirs: (context) => new GenaiSubject(context).connecting(),
    ours: starting,
  },
  {
    name: 'genai-setup-pending',
    about: 'the setup is never confirmed; connect() never settles',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, never sets up',
    theirs: (context) => new GenaiSubject(context).connecting(),
    ours: starting,
  },
  {
    name: 'genai-refused',
    about: 'the connection is refused with 503; connect() never settles',
    shows: ['hangs'],
    vendor: 'gemini, refuses',
    theirs: (context) => new GenaiSubject(context).connecting(),
    ours: starting,
  },
  {
    name: 'genai-wrong-key',
    about: 'the API key is rejected after the upgrade; connect() never settles',
    shows: ['hangs'],
    vendor: 'gemini, wants another key',
    theirs: (context) => new GenaiSubject(context).connecting(),
    ours: starting,
  },
  {
    name: 'genai-message-after-close',
    about: 'a message arrives after the close, and the callback of the app throws',
    shows: ['process crashes'],
    unfair: 'the app does not expect messages after its close',
    vendor: 'gemini, answers close frames late',
    theirs: async (context) => {
      const subject = await GenaiSubject.connected(context)
      const call = subject.call()
      return {
        ...call,
        close: () => {
          subject.onMessage = () => {
            throw new Error('the call has ended')
          }
          context.far({ do: 'vendor', order: 'offer a handle' }).catch(noop)
          return call.close()
        },
      }
    },
    ours: async (context) => {
      const subject = await started(context)
      subject.session.on('closed', () => {
        throw new Error('the call has ended')
      })
      return subject.call({
        close: () => {
          context.far({ do: 'vendor', order: 'offer a handle' }).catch(noop)
          return subject.session.close()
        },
      })
    },
  },
  {
    name: 'genai-goaway-in-flight',
    about: 'the app connects again on goAway and is closed meanwhile; connect() cannot be cancelled',
    shows: ['socket left', 'process stays'],
    vendor: 'gemini, is slow to connect',
    theirs: async (context) => {
      const subject = await GenaiSubject.connected(context)
      const again = new Promise<void>((resolve) => {
        subject.onMessage = ({ goAway }) => {
          if (!goAway) return
          subject.connect().catch(noop)
          resolve()
        }
      })
      await context.far({ do: 'vendor', order: 'go away' })
      await again
      return subject.call()
    },
    ours: async (context) => {
      const subject = await started(context)
      await context.far({ do: 'vendor', order: 'offer a handle' })
      await context.far({ do: 'vendor', order: 'go away' })
      await context.seen({ connections: 2 })
      return subject.call()
    },
  },
]
