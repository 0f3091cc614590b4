import assert from 'node:assert/strict'
import { durationOf, silence, sine, type AudioFrame } from '../../audio/index.ts'
import type { Filter, FilterStream, PartContext } from '../../parts/index.ts'
import { check, type Check } from './check.ts'
import { close, lifecycle, type Openable } from './lifecycle.ts'
import type { Stage } from './stage.ts'

/** A filter. */
export interface FilterSubject extends Openable {
  readonly filter: Filter
}

/** How long a frame may take, in milliseconds: a session bypasses a filter that is slower. */
const MAX_DELAY = 200

async function open(
  stage: Stage,
  { filter }: FilterSubject,
  format = filter.hears[0]!,
): Promise<{ context: PartContext; stream: FilterStream }> {
  const context = stage.context()
  return { context, stream: await stage.soon(filter.open(context, { format }), 'opening') }
}

/** A second of a tone that grows louder, so that frames differ. */
function sound({ filter }: FilterSubject, format = filter.hears[0]!): AudioFrame[] {
  const { sampleRate } = format
  return Array.from({ length: 50 }, (_, index) => {
    const { samples } = sine(300, { sampleRate, duration: 20 })
    return { samples: samples.map((sample) => (sample * index) / 50), sampleRate }
  })
}

/** The checks for every `Filter`. */
export const filterConformance: readonly Check<FilterSubject>[] = [
  ...lifecycle<FilterSubject>(({ filter }, context) => filter.open(context, { format: filter.hears[0]! })),

  check(
    'returns a frame of the same length and rate for each frame, in every format it hears',
    async (stage, subject) => {
      for (const format of subject.filter.hears) {
        const { context, stream } = await open(stage, subject, format)
        for (const frame of sound(subject, format)) {
          const filtered = await stage.soon(Promise.resolve(stream.filter(frame)), 'a frame')
          assert.equal(filtered.sampleRate, format.sampleRate)
          assert.equal(durationOf(filtered), durationOf(frame))
        }
        await close(stage, context)
      }
    },
  ),

  check('takes a new frame before it has returned the last one, and loses none', async (stage, subject) => {
    const { context, stream } = await open(stage, subject)
    const frames = sound(subject)
    const began = stage.clock.now()
    const all = Promise.all(frames.map(async (frame) => stream.filter(frame)))
    assert.equal((await stage.soon(all, 'all frames')).length, frames.length)
    const took = stage.clock.now() - began
    assert.ok(took <= MAX_DELAY + stage.slack, `50 frames took ${took} ms`)
    await close(stage, context)
  }),

  check('does not write into the frames it is given', async (stage, subject) => {
    const { context, stream } = await open(stage, subject)
    for (const frame of sound(subject)) {
      const before = frame.samples.slice()
      await stage.soon(Promise.resolve(stream.filter(frame)), 'a frame')
      assert.deepEqual(frame.samples, before)
    }
    await close(stage, context)
  }),

  check('accepts frames of any length at any time without throwing', async (stage, subject) => {
    const { context, stream } = await open(stage, subject)
    const { sampleRate } = subject.filter.hears[0]!
    const everything = (): Promise<unknown> =>
      Promise.all(
        [0, 1, 20, 1_000].map((ms) =>
          Promise.resolve(stream.filter(silence(ms, sampleRate))).catch(() => {}),
        ),
      )
    await stage.soon(everything(), 'frames')
    const closing = context.scope.close()
    await stage.soon(everything(), 'frames while closing')
    await closing
    await stage.soon(everything(), 'frames after the close')
    stage.assertEmpty(context)
  }),
]
