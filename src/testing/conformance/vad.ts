import assert from 'node:assert/strict'
import { Resampler, bytesOf, frameOf, silence, type AudioFrame } from '../../audio/index.ts'
import type { PartContext, Vad, VadStream } from '../../parts/index.ts'
import { check, type Check } from './check.ts'
import { close, lifecycle, type Openable } from './lifecycle.ts'
import type { Stage } from './stage.ts'

/** A VAD, and control over what it hears. */
export interface VadSubject extends Openable {
  readonly vad: Vad
  /** This many milliseconds of audio that the VAD detects as speech, in frames. */
  speech(ms: number): readonly AudioFrame[]
  /** Breaks the open streams permanently. */
  breaks?(): void
}

interface Listening {
  readonly context: PartContext
  readonly stream: VadStream
  readonly emitted: { readonly what: 'started' | 'stopped' | 'failed'; readonly ago: number }[]
}

async function listen(stage: Stage, { vad }: VadSubject, format = vad.hears[0]!): Promise<Listening> {
  const emitted: Listening['emitted'] = []
  const context = stage.context()
  const stream = await stage.soon(
    vad.open(
      context,
      {
        started: (ago) => emitted.push({ what: 'started', ago }),
        stopped: (ago) => emitted.push({ what: 'stopped', ago }),
        failed: () => emitted.push({ what: 'failed', ago: 0 }),
      },
      { format },
    ),
    'opening',
  )
  return { context, stream, emitted }
}

/** Pushes audio at normal speed, because a VAD may process it in a worker. */
async function hear(stage: Stage, stream: VadStream, frames: readonly AudioFrame[]): Promise<void> {
  for (const frame of frames) {
    stream.push(frame)
    await stage.elapse(20)
  }
}

const quiet = ({ vad }: VadSubject, ms: number): AudioFrame[] =>
  Array.from({ length: ms / 20 }, () => silence(20, vad.hears[0]!.sampleRate))

/** The checks for every `Vad`. */
export const vadConformance: readonly Check<VadSubject>[] = [
  ...lifecycle<VadSubject>(({ vad }, context) =>
    vad.open(context, { started() {}, stopped() {}, failed() {} }, { format: vad.hears[0]! }),
  ),

  check('emits the start and the end of speech, alternately', async (stage, subject) => {
    const { context, stream, emitted } = await listen(stage, subject)
    for (const frames of [
      quiet(subject, 500),
      subject.speech(1_000),
      quiet(subject, 2_000),
      subject.speech(1_000),
    ])
      await hear(stage, stream, frames)
    await hear(stage, stream, quiet(subject, 2_000))
    assert.deepEqual(
      emitted.map(({ what }) => what),
      ['started', 'stopped', 'started', 'stopped'],
    )
    await close(stage, context)
  }),

  check(
    'reports how long ago speech started or stopped, within the time it has listened',
    async (stage, subject) => {
      const { stream, emitted } = await listen(stage, subject)
      await hear(stage, stream, subject.speech(1_000))
      await hear(stage, stream, quiet(subject, 2_000))
      for (const { what, ago } of emitted) assert.ok(ago >= 0 && ago <= 3_000, `${what} ${ago} ms ago`)
      assert.equal(emitted.length, 2)
    },
  ),

  check('detects speech in every format it hears', async (stage, subject) => {
    const [own] = subject.vad.hears
    for (const format of subject.vad.hears) {
      const { context, stream, emitted } = await listen(stage, subject, format)
      const resampler = new Resampler({ from: own!.sampleRate, to: format.sampleRate })
      const sound = [...quiet(subject, 500), ...subject.speech(1_000), ...quiet(subject, 2_000)]
      for (const { samples } of sound) {
        const frame = { samples: resampler.push(samples), sampleRate: format.sampleRate }
        await hear(stage, stream, [
          format.encoding === 'pcm' ? frame : frameOf(bytesOf(frame, format), format),
        ])
      }
      assert.deepEqual(
        emitted.map(({ what }) => what),
        ['started', 'stopped'],
        `in ${format.encoding} of ${format.sampleRate} Hz`,
      )
      await close(stage, context)
    }
  }),

  check('emits nothing for silence', async (stage, subject) => {
    const { stream, emitted } = await listen(stage, subject)
    await hear(stage, stream, quiet(subject, 3_000))
    assert.deepEqual(emitted, [])
  }),

  check('accepts frames of any length at any time without throwing', async (stage, subject) => {
    const { context, stream } = await listen(stage, subject)
    const { sampleRate } = subject.vad.hears[0]!
    const everything = (): void => {
      stream.push({ samples: new Int16Array(0), sampleRate })
      stream.push(silence(1, sampleRate))
      stream.push(silence(1_000, sampleRate))
    }
    everything()
    const closing = context.scope.close()
    everything()
    await closing
    everything()
    stage.assertEmpty(context)
  }),

  check('emits nothing after its scope has closed', async (stage, subject) => {
    const { context, stream, emitted } = await listen(stage, subject)
    await close(stage, context)
    await hear(stage, stream, subject.speech(1_000))
    subject.breaks?.()
    await stage.elapse(1_000)
    assert.deepEqual(emitted, [])
    stage.assertEmpty(context)
  }),

  check(
    'ends synchronously on abort() in the middle of speech, and emits nothing afterwards',
    async (stage, subject) => {
      const { context, stream, emitted } = await listen(stage, subject)
      for (const frame of subject.speech(500)) stream.push(frame)
      context.scope.abort()
      stage.assertEmpty(context)
      const before = emitted.length
      for (const frame of quiet(subject, 2_000)) stream.push(frame)
      await stage.elapse(1_000)
      assert.equal(emitted.length, before, 'it emitted something')
    },
  ),

  check('emits one failure, and nothing afterwards', async (stage, subject) => {
    if (!subject.breaks) return 'the subject cannot be broken'
    const { context, stream, emitted } = await listen(stage, subject)
    subject.breaks()
    subject.breaks()
    await hear(stage, stream, subject.speech(1_000))
    assert.deepEqual(
      emitted.map(({ what }) => what),
      ['failed'],
    )
    await close(stage, context)
    return undefined
  }),
]
