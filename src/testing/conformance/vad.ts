import assert from 'node:assert/strict'
import { silence, type AudioFrame } from '../../audio/index.ts'
import type { PartContext, Vad, VadStream } from '../../parts/index.ts'
import { check, type Check } from './check.ts'
import { close, lifecycle, type Openable } from './lifecycle.ts'
import type { Stage } from './stage.ts'

/** A VAD and the world behind it. */
export interface VadSubject extends Openable {
  readonly vad: Vad
  /** Sound that it takes for speech, in frames, so long. */
  speech(ms: number): readonly AudioFrame[]
  /** The open streams break for good. */
  breaks?(): void
}

interface Listening {
  readonly context: PartContext
  readonly stream: VadStream
  readonly told: { readonly what: 'started' | 'stopped' | 'failed'; readonly ago: number }[]
}

async function listen(stage: Stage, { vad }: VadSubject): Promise<Listening> {
  const told: Listening['told'] = []
  const context = stage.context()
  const stream = await stage.soon(
    vad.open(context, {
      started: (ago) => told.push({ what: 'started', ago }),
      stopped: (ago) => told.push({ what: 'stopped', ago }),
      failed: () => told.push({ what: 'failed', ago: 0 }),
    }),
    'opening',
  )
  return { context, stream, told }
}

/** Pushes sound in the time it takes, because a VAD may think about it in a worker. */
async function hear(stage: Stage, stream: VadStream, frames: readonly AudioFrame[]): Promise<void> {
  for (const frame of frames) {
    stream.push(frame)
    await stage.elapse(20)
  }
}

const quiet = ({ vad }: VadSubject, ms: number): AudioFrame[] =>
  Array.from({ length: ms / 20 }, () => silence(20, vad.sampleRate))

/** What every `Vad` must do. */
export const vadConformance: readonly Check<VadSubject>[] = [
  ...lifecycle<VadSubject>(({ vad }, context) =>
    vad.open(context, { started() {}, stopped() {}, failed() {} }),
  ),

  check('hears where speech begins and ends, in turns', async (stage, subject) => {
    const { context, stream, told } = await listen(stage, subject)
    for (const frames of [
      quiet(subject, 500),
      subject.speech(1_000),
      quiet(subject, 2_000),
      subject.speech(1_000),
    ])
      await hear(stage, stream, frames)
    await hear(stage, stream, quiet(subject, 2_000))
    assert.deepEqual(
      told.map(({ what }) => what),
      ['started', 'stopped', 'started', 'stopped'],
    )
    await close(stage, context)
  }),

  check('says how long ago it was, and no longer than it has listened', async (stage, subject) => {
    const { stream, told } = await listen(stage, subject)
    await hear(stage, stream, subject.speech(1_000))
    await hear(stage, stream, quiet(subject, 2_000))
    for (const { what, ago } of told) assert.ok(ago >= 0 && ago <= 3_000, `${what} ${ago} ms ago`)
    assert.equal(told.length, 2)
  }),

  check('tells nothing of silence', async (stage, subject) => {
    const { stream, told } = await listen(stage, subject)
    await hear(stage, stream, quiet(subject, 3_000))
    assert.deepEqual(told, [])
  }),

  check('takes frames of any length, at any time, without throwing', async (stage, subject) => {
    const { context, stream } = await listen(stage, subject)
    const { sampleRate } = subject.vad
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

  check('tells nothing after its scope has closed', async (stage, subject) => {
    const { context, stream, told } = await listen(stage, subject)
    await close(stage, context)
    await hear(stage, stream, subject.speech(1_000))
    subject.breaks?.()
    await stage.elapse(1_000)
    assert.deepEqual(told, [])
    stage.assertEmpty(context)
  }),

  check('is ended by abort() in the middle of speech, and tells nothing after it', async (stage, subject) => {
    const { context, stream, told } = await listen(stage, subject)
    for (const frame of subject.speech(500)) stream.push(frame)
    context.scope.abort()
    stage.assertEmpty(context)
    const before = told.length
    for (const frame of quiet(subject, 2_000)) stream.push(frame)
    await stage.elapse(1_000)
    assert.equal(told.length, before, 'something was told')
  }),

  check('fails once, loudly, and tells nothing after it', async (stage, subject) => {
    if (!subject.breaks) return 'the subject cannot be broken'
    const { context, stream, told } = await listen(stage, subject)
    subject.breaks()
    subject.breaks()
    await hear(stage, stream, subject.speech(1_000))
    assert.deepEqual(
      told.map(({ what }) => what),
      ['failed'],
    )
    await close(stage, context)
    return undefined
  }),
]
