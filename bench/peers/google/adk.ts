import { noop } from '../../../src/scope/index.ts'
import type { Call, Case, Stage } from '../case.ts'
import { Ends } from '../ends.ts'
import { elapse } from '../ours.ts'
import { told } from '../told.ts'
import { Work } from '../work.ts'
import { AdkDesk, handleOf, runnerOf, type AdkOptions } from './adk-desk.ts'
import { started, starting } from './ours.ts'

/** This model’s calls of tools are carried out at once. */
const AT_ONCE = 'gemini-3.1-flash-live'

const CROSSES = 'go away before the next close frame is answered, and set up nobody any more'

/** Live runs of the ADK. */
export const adk: readonly Case[] = [
  {
    name: 'adk-healthy',
    about: 'nothing misbehaves',
    shows: [],
    vendor: 'gemini',
    theirs: async (stage) => (await AdkDesk.talking(stage)).call(),
    ours: busy,
  },
  {
    name: 'adk-break',
    about: 'the app leaves the loop over the events by break',
    ourFault: 'there is no such loop; the session is closed while it speaks',
    shows: ['socket left', 'process stays'],
    vendor: 'gemini',
    short: true,
    theirs: async (stage) => (await AdkDesk.talking(stage, { each: () => 'leave' })).left(),
    ours: busy,
  },
  {
    name: 'adk-break-in-the-guards-page',
    about: 'the same; the guarded one is the program of the guard’s page',
    ourFault: 'there is no such loop; the session is closed while it speaks',
    shows: ['socket left', 'process stays'],
    vendor: 'gemini',
    theirs: async (stage) => {
      if (stage.column === 'plain') return (await AdkDesk.talking(stage, { each: () => 'leave' })).left()
      const { answer } = await import('./adk-example.ts')
      const { runner, ...call } = await runnerOf(stage)
      const ends = new Ends()
      return {
        close: () =>
          answer(runner, call, () => true)
            .finally(ends.tell)
            .then(told),
        onClosed: ends.listen,
      }
    },
    ours: busy,
  },
  {
    name: 'adk-error-in-the-loop',
    about: 'the app leaves the loop over the events by an error',
    ourFault: 'there is no such loop; the session is closed while it speaks',
    shows: ['socket left', 'process stays'],
    vendor: 'gemini',
    theirs: async (stage) => {
      const each = (): never => {
        throw new Error('the app has failed')
      }
      return (await AdkDesk.talking(stage, { each })).left()
    },
    ours: busy,
  },
  {
    name: 'adk-abort-while-idle',
    about: 'the run’s signal is aborted while nobody speaks; the app waits for the end of the loop',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini',
    short: true,
    theirs: async (stage) => {
      const abort = new AbortController()
      const desk = await AdkDesk.started(stage, { abort })
      await stage.seen({ messages: 1 })
      await elapse(300)
      if (stage.column === 'guarded') return desk.call()
      return desk.call({
        close: () => {
          abort.abort()
          return desk.loop
        },
      })
    },
    ours: async (stage) => (await started(stage)).call(),
  },
  {
    name: 'adk-close-frame-ignored',
    about: 'the server does not answer the close frame',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, ignores close frames',
    theirs: async (stage) => (await AdkDesk.talking(stage)).call(),
    ours: busy,
  },
  {
    name: 'adk-connection-is-dead',
    about: 'the other side is gone, and nobody was told',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, goes dead',
    theirs: async (stage) => {
      const desk = await AdkDesk.talking(stage)
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
    about: 'a goAway crosses the close frame: the run connects again, and is never set up',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, is slow to connect',
    short: true,
    theirs: async (stage) => {
      const desk = await resumed(stage)
      await stage.far({ do: 'vendor', order: CROSSES })
      return desk.call()
    },
    ours: async (stage) => {
      const desk = await started(stage)
      await stage.far({ do: 'vendor', order: 'offer a handle' })
      await stage.far({ do: 'vendor', order: CROSSES })
      return desk.call()
    },
  },
  {
    name: 'adk-goaway-while-closing',
    about: 'a goAway comes while the close frame is not answered: the run connects again, and is refused',
    shows: ['hangs', 'no event'],
    vendor: 'gemini, answers close frames late',
    theirs: async (stage) => {
      const desk = await resumed(stage)
      const call = desk.call()
      return { ...call, close: () => closeAnd(stage, 'go away', () => call.close()) }
    },
    ours: async (stage) => {
      const desk = await started(stage)
      await stage.far({ do: 'vendor', order: 'offer a handle' })
      return desk.call({ close: () => closeAnd(stage, 'go away', () => desk.session.close()) })
    },
  },
  {
    name: 'adk-drop-with-a-handle',
    ourFault: 'it connects again, and is closed then',
    about:
      'the connection breaks, and could be resumed: the run ends as if it had been asked to, and nothing says so',
    shows: ['no event'],
    vendor: 'gemini',
    theirs: async (stage) => {
      const desk = await resumed(stage)
      const call = desk.dropped()
      await stage.far({ do: 'vendor', order: 'break the connection' })
      return call
    },
    // Ours connects again and goes on: somebody has to end it.
    ours: async (stage) => {
      const desk = await started(stage)
      await stage.far({ do: 'vendor', order: 'offer a handle' })
      await stage.far({ do: 'vendor', order: 'break the connection' })
      await stage.seen({ connections: 2 })
      return desk.call()
    },
  },
  {
    name: 'adk-goaway-storm',
    about:
      'every connection is told to go away as soon as it stands, and the run is closed in the middle of that',
    shows: ['rejects'],
    vendor: 'gemini, is slow to connect',
    theirs: async (stage) => {
      const desk = await resumed(stage)
      await stage.far({ do: 'vendor', order: 'go away again and again' })
      await stage.seen({ connections: 4 })
      return desk.call()
    },
    ours: async (stage) => {
      const desk = await started(stage)
      await stage.far({ do: 'vendor', order: 'offer a handle' })
      await stage.far({ do: 'vendor', order: 'go away again and again' })
      await stage.seen({ connections: 3 })
      return desk.call()
    },
  },
  {
    name: 'adk-tool-waits-for-its-backend',
    about: 'a tool is waiting for an answer',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, calls a tool',
    ...withTool({ model: AT_ONCE }),
  },
  {
    name: 'adk-tool-begins-at-the-close',
    about:
      'a tool that the model has called before is begun when the run is closed, and waits for its backend',
    shows: ['hangs', 'no event', 'socket left', 'process stays'],
    vendor: 'gemini, calls a tool',
    theirs: async (stage) => {
      const work = new Work()
      const desk = await AdkDesk.started(stage, { lookup: (signal) => work.asks(stage.http, signal) })
      desk.ask()
      await stage.seen({ messages: 2 })
      await elapse(300)
      return desk.call({ goesOn: () => work.goesOn })
    },
    ours: withTool().ours,
  },
]

async function busy(stage: Stage): Promise<Call> {
  const desk = await started(stage)
  await desk.speaks()
  return desk.call()
}

async function connecting(stage: Stage): Promise<Call> {
  const desk = await AdkDesk.started(stage)
  await stage.seen({ connections: 1 })
  return desk.call()
}

/** A run that goes on with an earlier conversation, and may connect again. */
async function resumed(stage: Stage): Promise<AdkDesk> {
  const desk = await AdkDesk.started(stage, { handle: await handleOf(stage) })
  await stage.seen({ connections: 2, messages: 2 })
  await elapse(300)
  return desk
}

/** The order is carried out while the close frame is under way. */
function closeAnd(stage: Stage, order: string, close: () => unknown): unknown {
  const closing = close()
  stage.far({ do: 'vendor', order }).catch(noop)
  return closing
}

function withTool(options: AdkOptions = {}): Pick<Case, 'theirs' | 'ours'> {
  return {
    theirs: async (stage) => {
      const work = new Work()
      const lookup = (signal: AbortSignal | undefined): Promise<string> => work.asks(stage.http, signal)
      const desk = await AdkDesk.started(stage, { ...options, lookup })
      desk.ask()
      await work.begun
      await stage.seen({ connections: 2 })
      return desk.call({ goesOn: () => work.goesOn })
    },
    ours: async (stage) => {
      const work = new Work()
      const desk = await started(stage, { lookup: (signal) => work.asks(stage.http, signal) })
      desk.ask()
      await work.begun
      await stage.seen({ connections: 2 })
      return desk.call({ goesOn: () => work.goesOn })
    },
  }
}
