import { noop } from '../../../src/scope/index.ts'
import type { Call, Case, CaseContext } from '../case.ts'
import { ClosedEvents } from '../closed-events.ts'
import { elapse } from '../ours.ts'
import { summarize } from '../guarded-call.ts'
import { Work } from '../work.ts'
import { AdkSubject, handleOf, runnerOf, type AdkOptions } from './adk-subject.ts'
import { started, starting } from './ours.ts'

/** With this model, the ADK runs tools at once. With others, it waits until the turn is complete. */
const RUNS_TOOLS_AT_ONCE = 'gemini-3.1-flash-live'

const GO_AWAY_AT_CLOSE = 'send goAway before answering the next close frame, and ignore setups from then on'

/** Live runs of the ADK. */
export const adk: readonly Case[] = [
  {
    name: 'adk-healthy',
    about: 'nothing misbehaves',
    shows: [],
    vendor: 'gemini',
    theirs: async (context) => (await AdkSubject.talking(context)).call(),
    ours: busy,
  },
  {
    name: 'adk-break',
    about: 'the app leaves the loop over the events with break',
    ourFault: 'there is no such loop; the session is closed while it speaks',
    shows: ['socket left', 'process stays'],
    vendor: 'gemini',
    short: true,
    theirs: async (context) => (await AdkSubject.talking(context, { each: () => 'leave' })).left(),
    ours: busy,
  },
  {
    name: 'adk-break-in-the-guards-page',
    about: 'the same; the guarded run is the program in docs/guard.md',
    ourFault: 'there is no such loop; the session is closed while it speaks',
    shows: ['socket left', 'process stays'],
    vendor: 'gemini',
    theirs: async (context) => {
      if (context.column === 'plain')
        return (await AdkSubject.talking(context, { each: () => 'leave' })).left()
      const { answer } = await import('./adk-example.ts')
      const { runner, ...call } = await runnerOf(context)
      const ends = new ClosedEvents()
      return {
        close: () =>
          answer(runner, call, () => true)
            .finally(ends.emit)
            .then(summarize),
        onClosed: ends.on,
      }
    },
    ours: busy,
  },
  {
    name: 'adk-error-in-the-loop',
    about: 'the app leaves the loop over the events with an error',
    ourFault: 'there is no such loop; the session is closed while it speaks',
    shows: ['socket left', 'process stays'],
    vendor: 'gemini',
    theirs: async (context) => {
      const each = (): never => {
        throw new Error('the app has failed')
      }
      return (await AdkSubject.talking(context, { each })).left()
    },
    ours: busy,
  },
  {
    name: 'adk-abort-while-idle',
    about:
      'the signal of the run is aborted while the run is idle, and the app waits for the end of the loop',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini',
    short: true,
    theirs: async (context) => {
      const abort = new AbortController()
      const subject = await AdkSubject.started(context, { abort })
      await context.seen({ messages: 1 })
      await elapse(300)
      if (context.column === 'guarded') return subject.call()
      return subject.call({
        close: () => {
          abort.abort()
          return subject.loop
        },
      })
    },
    ours: async (context) => (await started(context)).call(),
  },
  {
    name: 'adk-close-frame-ignored',
    about: 'the server does not answer the close frame',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, ignores close frames',
    theirs: async (context) => (await AdkSubject.talking(context)).call(),
    ours: busy,
  },
  {
    name: 'adk-connection-is-dead',
    about: 'the other side has disappeared without closing the connection',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, goes dead',
    theirs: async (context) => {
      const subject = await AdkSubject.talking(context)
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
    name: 'adk-silent-upgrade',
    about: 'the upgrade is never answered',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, silent',
    theirs: connecting,
    ours: starting,
  },
  {
    name: 'adk-setup-pending',
    about: 'the setup is never completed',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, never sets up',
    theirs: connecting,
    ours: starting,
  },
  {
    name: 'adk-refused',
    about: 'the connection is refused with 503',
    shows: ['hangs', 'no event'],
    vendor: 'gemini, refuses',
    theirs: connecting,
    ours: starting,
  },
  {
    name: 'adk-goaway-in-flight',
    about: 'a goAway crosses the close frame; the run connects again, and its setup is never confirmed',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, is slow to connect',
    short: true,
    theirs: async (context) => {
      const subject = await resumed(context)
      await context.far({ do: 'vendor', order: GO_AWAY_AT_CLOSE })
      return subject.call()
    },
    ours: async (context) => {
      const subject = await started(context)
      await context.far({ do: 'vendor', order: 'offer a handle' })
      await context.far({ do: 'vendor', order: GO_AWAY_AT_CLOSE })
      return subject.call()
    },
  },
  {
    name: 'adk-goaway-while-closing',
    about: 'a goAway arrives before the close frame is answered; the run connects again and is refused',
    shows: ['hangs', 'no event'],
    vendor: 'gemini, answers close frames late',
    theirs: async (context) => {
      const subject = await resumed(context)
      const call = subject.call()
      return { ...call, close: () => closeAnd(context, 'go away', () => call.close()) }
    },
    ours: async (context) => {
      const subject = await started(context)
      await context.far({ do: 'vendor', order: 'offer a handle' })
      return subject.call({ close: () => closeAnd(context, 'go away', () => subject.session.close()) })
    },
  },
  {
    name: 'adk-drop-with-a-handle',
    ourFault: 'the session connects again and is closed then',
    about: 'a connection that could be resumed breaks; the run ends as if it was closed, without an error',
    shows: ['no event'],
    vendor: 'gemini',
    theirs: async (context) => {
      const subject = await resumed(context)
      const call = subject.dropped()
      await context.far({ do: 'vendor', order: 'break the connection' })
      return call
    },
    // A session of endwell connects again and goes on, so it has to be closed.
    ours: async (context) => {
      const subject = await started(context)
      await context.far({ do: 'vendor', order: 'offer a handle' })
      await context.far({ do: 'vendor', order: 'break the connection' })
      await context.seen({ connections: 2 })
      return subject.call()
    },
  },
  {
    name: 'adk-goaway-storm',
    about: 'every connection gets a goAway as soon as it is open, and the run is closed meanwhile',
    shows: ['rejects'],
    vendor: 'gemini, is slow to connect',
    theirs: async (context) => {
      const subject = await resumed(context)
      await context.far({ do: 'vendor', order: 'go away again and again' })
      await context.seen({ connections: 4 })
      return subject.call()
    },
    ours: async (context) => {
      const subject = await started(context)
      await context.far({ do: 'vendor', order: 'offer a handle' })
      await context.far({ do: 'vendor', order: 'go away again and again' })
      await context.seen({ connections: 3 })
      return subject.call()
    },
  },
  {
    name: 'adk-tool-waits-for-its-backend',
    about: 'a tool is waiting for its backend',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, calls a tool',
    ...withTool({ model: RUNS_TOOLS_AT_ONCE }),
  },
  {
    name: 'adk-tool-begins-at-the-close',
    about:
      'a tool that the model called earlier is started when the run is closed, and waits for its backend',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, calls a tool',
    theirs: async (context) => {
      const work = new Work()
      const subject = await AdkSubject.started(context, {
        lookup: (signal) => work.asks(context.http, signal),
      })
      subject.ask()
      await context.seen({ messages: 2 })
      await elapse(300)
      return subject.call({ goesOn: () => work.goesOn })
    },
    ours: withTool().ours,
  },
]

async function busy(context: CaseContext): Promise<Call> {
  const subject = await started(context)
  await subject.speaks()
  return subject.call()
}

async function connecting(context: CaseContext): Promise<Call> {
  const subject = await AdkSubject.started(context)
  await context.seen({ connections: 1 })
  return subject.call()
}

/** A run that continues an earlier conversation, so that it can connect again. */
async function resumed(context: CaseContext): Promise<AdkSubject> {
  const subject = await AdkSubject.started(context, { handle: await handleOf(context) })
  await context.seen({ connections: 2, messages: 2 })
  await elapse(300)
  return subject
}

/** Closes, and sends an order to the vendor while the close frame is on its way. */
function closeAnd(context: CaseContext, order: string, close: () => unknown): unknown {
  const closing = close()
  context.far({ do: 'vendor', order }).catch(noop)
  return closing
}

function withTool(options: AdkOptions = {}): Pick<Case, 'theirs' | 'ours'> {
  return {
    theirs: async (context) => {
      const work = new Work()
      const lookup = (signal: AbortSignal | undefined): Promise<string> => work.asks(context.http, signal)
      const subject = await AdkSubject.started(context, { ...options, lookup })
      subject.ask()
      await work.begun
      await context.seen({ connections: 2 })
      return subject.call({ goesOn: () => work.goesOn })
    },
    ours: async (context) => {
      const work = new Work()
      const subject = await started(context, { lookup: (signal) => work.asks(context.http, signal) })
      subject.ask()
      await work.begun
      await context.seen({ connections: 2 })
      return subject.call({ goesOn: () => work.goesOn })
    },
  }
}
