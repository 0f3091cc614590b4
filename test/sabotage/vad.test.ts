import { describe, expect, it } from 'vitest'
import { silence, sine } from '../../src/audio/index.ts'
import type { PartContext, Vad, VadEvents, VadStream } from '../../src/parts/index.ts'
import { Scope } from '../../src/scope/index.ts'
import {
  ScriptedVad,
  findings,
  vadConformance,
  type Make,
  type ScriptedVadOptions,
  type VadSubject,
} from '../../src/testing/index.ts'
import { describeSabotage, type Saboteur } from './sabotage.ts'

const RATE = 16_000
const tone = (ms: number) =>
  Array.from({ length: ms / 20 }, () => sine(300, { sampleRate: RATE, duration: 20 }))

/** A VAD that does what it should, except for what the saboteur does. */
function sabotaged(
  open: (vad: ScriptedVad, context: PartContext, events: VadEvents) => Promise<VadStream>,
  options: ScriptedVadOptions = {},
): Make<VadSubject> {
  return () => {
    const own = { ...options }
    const inner = new ScriptedVad(own)
    const vad: Vad = {
      name: 'vad',
      sampleRate: RATE,
      open: (context, events) => open(inner, context, events),
    }
    return {
      vad,
      speech: tone,
      breaks: () => inner.fails(),
      refuses: () => {
        own.openFails = new Error('no model file')
      },
    }
  }
}

const saboteurs: Saboteur<VadSubject>[] = [
  [
    'a scope that nobody owns',
    sabotaged((vad, context, events) => {
      const hidden = new Scope('hidden', { clock: context.scope.clock })
      context.scope.signal.addEventListener('abort', () => hidden.abort())
      if (context.scope.state !== 'live') hidden.abort()
      return vad.open(context, events)
    }),
    ['opens in the scope it is given and in no other'],
  ],
  [
    'a timer that nobody owns',
    sabotaged((vad, context, events) => {
      context.scope.clock.after(60_000, 'hidden', () => {})
      return vad.open(context, events)
    }),
    [
      'ends with its scope, on time and cleanly, and leaves nothing',
      'is ended by abort() before that returns',
      'is ended by abort() also while it is being closed',
      'gives up opening when its scope closes, and leaves nothing',
      'gives up opening when its scope is aborted, and leaves nothing',
      'opens nothing in a closed scope',
    ],
  ],
  [
    'an end that hangs',
    sabotaged((vad, context, events) => vad.open(context, events), { closeHangs: true }),
    ['ends with its scope, on time and cleanly, and leaves nothing'],
  ],
  [
    'a connection that is reported when all is over',
    sabotaged((vad, context, events) => {
      context.scope.signal.addEventListener('abort', () => {
        context.scope.clock.after(3_000, 'late', () =>
          context.ended({ name: 'x', how: 'closed', retries: 0 }),
        )
      })
      return vad.open(context, events)
    }),
    ['says how its connections ended before it is closed, and nothing later'],
  ],
  [
    'a connection that is always cut',
    sabotaged((vad, context, events) => {
      context.scope.defer('cut', () => context.ended({ name: 'x', how: 'aborted', retries: 0 }))
      return vad.open(context, events)
    }),
    ['says how its connections ended before it is closed, and nothing later'],
  ],
  [
    'an opening that goes on for ever',
    sabotaged((vad, context, events) => vad.open(context, events).catch(() => new Promise(() => {}))),
    [
      'gives up opening when its scope closes, and leaves nothing',
      'gives up opening when its scope is aborted, and leaves nothing',
      'opens nothing in a closed scope',
      'throws when it cannot be opened, and leaves nothing',
    ],
  ],
  [
    'room for one only',
    (() => {
      const open = new Set<ScriptedVad>()
      return sabotaged(async (vad, context, events) => {
        if (open.has(vad)) throw new Error('busy')
        open.add(vad)
        return vad.open(context, events)
      })
    })(),
    ['can be opened twice, and each is ended alone'],
  ],
  [
    'an opening that never fails',
    sabotaged((vad, context, events) => vad.open(context, events).catch(() => ({ push() {} }))),
    ['throws when it cannot be opened, and leaves nothing'],
  ],
  [
    'an error of its own in a closed scope',
    sabotaged(async (vad, context, events) => {
      if (context.scope.state === 'closed') throw new TypeError('undefined is not a function')
      return vad.open(context, events)
    }),
    ['opens nothing in a closed scope'],
  ],
  [
    'deafness',
    sabotaged(async (vad, context, events) => {
      await vad.open(context, events)
      return { push() {} }
    }),
    [
      'hears where speech begins and ends, in turns',
      'says how long ago it was, and no longer than it has listened',
    ],
  ],
  [
    'times from the future',
    sabotaged((vad, context, events) =>
      vad.open(context, {
        started: (ago) => events.started(-ago),
        stopped: (ago) => events.stopped(ago),
        failed: (error) => events.failed(error),
      }),
    ),
    ['says how long ago it was, and no longer than it has listened'],
  ],
  [
    'nerves',
    sabotaged(async (vad, context, events) => {
      const stream = await vad.open(context, events)
      let pushed = 0
      return {
        push: (frame) => {
          if (++pushed === 50) events.started(0)
          stream.push(frame)
        },
      }
    }),
    ['tells nothing of silence', 'hears where speech begins and ends, in turns'],
  ],
  [
    'push that throws in the end',
    sabotaged(async (vad, context, events) => {
      const stream = await vad.open(context, events)
      return {
        push: (frame) => {
          if (context.scope.state === 'closed') throw new Error('write after end')
          stream.push(frame)
        },
      }
    }),
    ['takes frames of any length, at any time, without throwing'],
  ],
  [
    'talk after the end',
    sabotaged(async (vad, context, events) => {
      await vad.open(context, events)
      let last = false
      return {
        push: ({ samples }) => {
          const loud = samples.some((sample) => sample !== 0)
          if (loud !== last) events[loud ? 'started' : 'stopped'](0)
          last = loud
        },
      }
    }),
    [
      'tells nothing after its scope has closed',
      'is ended by abort() in the middle of speech, and tells nothing after it',
      'fails once, loudly, and tells nothing after it',
    ],
  ],
]

describeSabotage('VADs', vadConformance, saboteurs)

describe('the suite for VADs', () => {
  it('says what it could not check', async () => {
    const make = (): VadSubject => ({ vad: new ScriptedVad(), speech: () => [silence(20, RATE)] })
    const skipped = (await findings(vadConformance, make)).filter((each) => each.skipped)
    expect(skipped).toEqual([
      { name: expect.stringContaining('cannot be opened'), skipped: 'the subject cannot be made to refuse' },
      { name: expect.stringContaining('fails once'), skipped: 'the subject cannot be broken' },
    ])
  })
})
