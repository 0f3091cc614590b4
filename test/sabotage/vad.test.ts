import { describe, expect, it } from 'vitest'
import { pcm, silence, sine } from '../../src/audio/index.ts'
import {
  type SoundSetup,
  type PartContext,
  type Vad,
  type VadEvents,
  type VadStream,
} from '../../src/parts/index.ts'
import { Scope } from '../../src/scope/index.ts'
import {
  ScriptedVad,
  findings,
  vadConformance,
  type Make,
  type ScriptedVadOptions,
  type VadSubject,
} from '../../src/testing/index.ts'
import { describeSabotage, type Defect } from './sabotage.ts'

const RATE = 16_000
const tone = (ms: number) =>
  Array.from({ length: ms / 20 }, () => sine(300, { sampleRate: RATE, duration: 20 }))

/** A VAD that is correct except for one defect. */
function sabotaged(
  open: (vad: ScriptedVad, context: PartContext, events: VadEvents, setup: SoundSetup) => Promise<VadStream>,
  options: ScriptedVadOptions = {},
): Make<VadSubject> {
  return () => {
    const own = { ...options }
    const inner = new ScriptedVad(own)
    const vad: Vad = {
      name: 'vad',
      hears: inner.hears,
      open: (context, events, setup) => open(inner, context, events, setup),
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

const defects: Defect<VadSubject>[] = [
  [
    'a VAD that cannot hear one of its formats',
    sabotaged(
      async (vad, context, events, { format }) => {
        const stream = await vad.open(context, events)
        return { push: (frame) => format.sampleRate === RATE && stream.push(frame) }
      },
      { hears: [pcm(RATE), pcm(8_000)] },
    ),
    ['detects speech in every format it hears'],
  ],
  [
    'a scope without an owner',
    sabotaged((vad, context, events) => {
      const hidden = new Scope('hidden', { clock: context.scope.clock })
      context.scope.signal.addEventListener('abort', () => hidden.abort())
      if (context.scope.state !== 'live') hidden.abort()
      return vad.open(context, events)
    }),
    ['opens only in the scope it is given'],
  ],
  [
    'a timer without an owner',
    sabotaged((vad, context, events) => {
      context.scope.clock.after(60_000, 'hidden', () => {})
      return vad.open(context, events)
    }),
    [
      'ends with its scope, on time and cleanly, and leaves nothing behind',
      'ends synchronously on abort()',
      'ends synchronously on abort() during a close',
      'stops opening when its scope closes, and leaves nothing behind',
      'stops opening when its scope is aborted, and leaves nothing behind',
      'opens nothing in a closed scope',
    ],
  ],
  [
    'a close that hangs',
    sabotaged((vad, context, events) => vad.open(context, events), { closeHangs: true }),
    ['ends with its scope, on time and cleanly, and leaves nothing behind'],
  ],
  [
    'a connection that is reported after the close',
    sabotaged((vad, context, events) => {
      context.scope.signal.addEventListener('abort', () => {
        context.scope.clock.after(3_000, 'late', () =>
          context.ended({ name: 'x', how: 'closed', retries: 0 }),
        )
      })
      return vad.open(context, events)
    }),
    ['reports how its connections ended before its scope has closed, and nothing later'],
  ],
  [
    'a connection that is always cut',
    sabotaged((vad, context, events) => {
      context.scope.defer('cut', () => context.ended({ name: 'x', how: 'aborted', retries: 0 }))
      return vad.open(context, events)
    }),
    ['reports how its connections ended before its scope has closed, and nothing later'],
  ],
  [
    'an open that never settles',
    sabotaged((vad, context, events) => vad.open(context, events).catch(() => new Promise(() => {}))),
    [
      'stops opening when its scope closes, and leaves nothing behind',
      'stops opening when its scope is aborted, and leaves nothing behind',
      'opens nothing in a closed scope',
      'rejects when it cannot be opened, and leaves nothing behind',
    ],
  ],
  [
    'a VAD that can be opened only once',
    (() => {
      const open = new Set<ScriptedVad>()
      return sabotaged(async (vad, context, events) => {
        if (open.has(vad)) throw new Error('busy')
        open.add(vad)
        return vad.open(context, events)
      })
    })(),
    ['can be opened twice, and each instance ends with its own scope'],
  ],
  [
    'an open that never rejects',
    sabotaged((vad, context, events) => vad.open(context, events).catch(() => ({ push() {} }))),
    ['rejects when it cannot be opened, and leaves nothing behind'],
  ],
  [
    'an unrelated error in a closed scope',
    sabotaged(async (vad, context, events) => {
      if (context.scope.state === 'closed') throw new TypeError('undefined is not a function')
      return vad.open(context, events)
    }),
    ['opens nothing in a closed scope'],
  ],
  [
    'a VAD that hears nothing',
    sabotaged(async (vad, context, events) => {
      await vad.open(context, events)
      return { push() {} }
    }),
    [
      'emits the start and the end of speech, alternately',
      'reports how long ago speech started or stopped, within the time it has listened',
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
    ['reports how long ago speech started or stopped, within the time it has listened'],
  ],
  [
    'speech detected in silence',
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
    ['emits nothing for silence', 'emits the start and the end of speech, alternately'],
  ],
  [
    'a push that throws after the close',
    sabotaged(async (vad, context, events) => {
      const stream = await vad.open(context, events)
      return {
        push: (frame) => {
          if (context.scope.state === 'closed') throw new Error('write after end')
          stream.push(frame)
        },
      }
    }),
    ['accepts frames of any length at any time without throwing'],
  ],
  [
    'events after the end',
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
      'emits nothing after its scope has closed',
      'ends synchronously on abort() in the middle of speech, and emits nothing afterwards',
      'emits one failure, and nothing afterwards',
    ],
  ],
]

describeSabotage('VADs', vadConformance, defects)

describe('the suite for VADs', () => {
  it('reports which checks were skipped', async () => {
    const make = (): VadSubject => ({ vad: new ScriptedVad(), speech: () => [silence(20, RATE)] })
    const skipped = (await findings(vadConformance, make)).filter((each) => each.skipped)
    expect(skipped).toEqual([
      { name: expect.stringContaining('cannot be opened'), skipped: 'the subject cannot be made to refuse' },
      { name: expect.stringContaining('one failure'), skipped: 'the subject cannot be broken' },
    ])
  })
})
