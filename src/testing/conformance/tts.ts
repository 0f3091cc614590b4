import assert from 'node:assert/strict'
import { durationOf } from '../../audio/index.ts'
import type { SpokenChunk, Tts, Voice } from '../../parts/index.ts'
import { check, type Check } from './check.ts'
import { close, lifecycle, type Openable } from './lifecycle.ts'
import type { Stage } from './stage.ts'
import { hangingText, pieces, takeSoon } from './take.ts'

/** A TTS, and control over its failures. */
export interface TtsSubject extends Openable {
  readonly tts: Tts
  /** Makes every later speech fail. */
  breaks?(): void
}

const TEXT = 'Good morning to you. How can I help you today? We are open until five.'
const REASON = new Error('interrupted')
const unaborted = (): AbortSignal => new AbortController().signal

const openVoice = (
  stage: Stage,
  { tts }: TtsSubject,
  context = stage.context(),
  format = tts.speaks[0]!,
): Promise<Voice> => stage.soon(tts.open(context, { format }), 'opening')

const lengthOf = (chunks: readonly SpokenChunk[]): number =>
  chunks.reduce((sum, { frame }) => sum + durationOf(frame), 0)

/** The checks for every `Tts`. */
export const ttsConformance: readonly Check<TtsSubject>[] = [
  ...lifecycle<TtsSubject>(({ tts }, context) => tts.open(context, { format: tts.speaks[0]! })),

  check('speaks a text that arrives in pieces, at its sample rate, and ends', async (stage, subject) => {
    const voice = await openVoice(stage, subject)
    const { values, error } = await takeSoon(stage, voice.speak(pieces(...TEXT.split(/(?= )/)), unaborted()))
    assert.equal(error, undefined)
    assert.ok(lengthOf(values) > 0, 'it yielded no audio')
    for (const { frame } of values) assert.equal(frame.sampleRate, subject.tts.speaks[0]!.sampleRate)
  }),

  check('speaks in every format it offers, for about as long', async (stage, subject) => {
    let first: number | undefined
    for (const format of subject.tts.speaks) {
      const context = stage.context()
      const voice = await openVoice(stage, subject, context, format)
      const { values, error } = await takeSoon(stage, voice.speak(pieces(TEXT), unaborted()))
      assert.equal(error, undefined)
      for (const { frame } of values) assert.equal(frame.sampleRate, format.sampleRate)
      const length = lengthOf(values)
      first ??= length
      assert.ok(
        Math.abs(length - first) < first / 5,
        `it speaks for ${length} ms in ${format.encoding}, and for ${first} ms in another format`,
      )
      await close(stage, context)
    }
  }),

  check('yields all words, in order and within the audio, if it yields words', async (stage, subject) => {
    const voice = await openVoice(stage, subject)
    const { values } = await takeSoon(stage, voice.speak(pieces(TEXT), unaborted()))
    const words = values.flatMap((chunk) => chunk.words ?? [])
    if (words.length === 0) return 'it yields no words'
    let last = 0
    for (const { text, start, end } of words) {
      assert.ok(
        start >= last && end >= start,
        `'${text}' lasts from ${start} to ${end} ms, after a word at ${last} ms`,
      )
      last = start
    }
    assert.ok(last <= lengthOf(values), 'a word starts after the end of the audio')
    assert.equal(
      words
        .map(({ text }) => text)
        .join('')
        .replaceAll(/\s+/g, ' ')
        .trim(),
      TEXT,
    )
    return undefined
  }),

  check('yields no audio for an empty text, and ends', async (stage, subject) => {
    const voice = await openVoice(stage, subject)
    for (const text of [pieces(), pieces(''), pieces('', '')]) {
      const { values, error } = await takeSoon(stage, voice.speak(text, unaborted()))
      assert.equal(error, undefined)
      assert.equal(lengthOf(values), 0)
    }
    const { error } = await takeSoon(stage, voice.speak(pieces(' \n'), unaborted()))
    assert.equal(error, undefined)
  }),

  check('speaks two texts at the same time, each completely', async (stage, subject) => {
    const voice = await openVoice(stage, subject)
    const alone = await takeSoon(stage, voice.speak(pieces(TEXT), unaborted()))
    const both = await Promise.all([
      takeSoon(stage, voice.speak(pieces(TEXT), unaborted())),
      takeSoon(stage, voice.speak(pieces(TEXT), unaborted())),
    ])
    for (const { values, error } of both) {
      assert.equal(error, undefined)
      assert.equal(lengthOf(values), lengthOf(alone.values))
    }
  }),

  check('can stop one speech while another continues', async (stage, subject) => {
    const voice = await openVoice(stage, subject)
    const stop = new AbortController()
    const [stopped, other] = await Promise.all([
      takeSoon(stage, voice.speak(pieces(TEXT), stop.signal), () => stop.abort(REASON)),
      takeSoon(stage, voice.speak(pieces(TEXT), unaborted())),
    ])
    assert.equal(stopped.error, REASON)
    assert.equal(other.error, undefined)
    assert.ok(lengthOf(other.values) > lengthOf(stopped.values))
  }),

  check('throws the reason when its signal aborts, and yields nothing afterwards', async (stage, subject) => {
    const voice = await openVoice(stage, subject)
    for (const after of [0, 1]) {
      const stop = new AbortController()
      const look = (_: SpokenChunk, index: number): void => {
        if (index === after) stop.abort(REASON)
      }
      const { values, error } = await takeSoon(stage, voice.speak(pieces(TEXT), stop.signal), look)
      // A speech of one chunk has ended before it could be stopped.
      if (values.length > after + 1 || error !== undefined) assert.equal(error, REASON)
      assert.ok(values.length <= after + 1, 'it continued after the abort')
    }
  }),

  check('does not start if its signal has already aborted', async (stage, subject) => {
    const voice = await openVoice(stage, subject)
    const { values, error } = await takeSoon(stage, voice.speak(pieces(TEXT), AbortSignal.abort(REASON)))
    assert.equal(error, REASON)
    assert.deepEqual(values, [])
  }),

  check('stops while it waits for text that never arrives, and releases the text', async (stage, subject) => {
    const voice = await openVoice(stage, subject)
    const text = hangingText(TEXT)
    const stop = new AbortController()
    const speech = takeSoon(stage, voice.speak(text, stop.signal))
    await stage.elapse(2_000)
    stop.abort(REASON)
    const before = stage.clock.now()
    assert.equal((await speech).error, REASON)
    const took = stage.clock.now() - before
    assert.ok(took <= 500 + stage.slack, `stopping took ${took} ms`)
    await stage.until(500, () => text.returned)
    assert.ok(text.returned, 'it did not release the text')
  }),

  check('throws the error that the text throws', async (stage, subject) => {
    const voice = await openVoice(stage, subject)
    async function* broken(): AsyncGenerator<string> {
      yield 'Well, '
      throw REASON
    }
    const { error } = await takeSoon(stage, voice.speak(broken(), unaborted()))
    assert.equal(error, REASON)
  }),

  check('speaks again after a speech was left in the middle', async (stage, subject) => {
    const context = stage.context()
    const voice = await openVoice(stage, subject, context)
    for await (const chunk of voice.speak(pieces(TEXT), unaborted())) if (chunk) break
    const { error } = await takeSoon(stage, voice.speak(pieces(TEXT), unaborted()))
    assert.equal(error, undefined)
    await close(stage, context)
  }),

  check(
    'ends a speech with an error when its scope closes, and leaves nothing behind',
    async (stage, subject) => {
      const context = stage.context()
      const voice = await openVoice(stage, subject, context)
      const speech = takeSoon(stage, voice.speak(hangingText(TEXT), unaborted()))
      await stage.elapse(100)
      await close(stage, context)
      assert.notEqual((await speech).error, undefined)
      stage.assertEmpty(context)
    },
  ),

  check('ends synchronously on abort() in the middle of a speech', async (stage, subject) => {
    const context = stage.context()
    const voice = await openVoice(stage, subject, context)
    const stop = new AbortController()
    const speech = takeSoon(stage, voice.speak(hangingText(TEXT), stop.signal))
    await stage.elapse(100)
    context.scope.abort()
    stop.abort(REASON)
    assert.notEqual((await speech).error, undefined)
    stage.assertEmpty(context)
  }),

  check('does not speak after its scope has closed', async (stage, subject) => {
    const context = stage.context()
    const voice = await openVoice(stage, subject, context)
    await close(stage, context)
    const { values, error } = await takeSoon(stage, voice.speak(pieces(TEXT), unaborted()))
    assert.notEqual(error, undefined, 'it did not throw')
    assert.deepEqual(values, [])
    stage.assertEmpty(context)
  }),

  check('throws when it cannot speak', async (stage, subject) => {
    if (!subject.breaks) return 'the subject cannot be broken'
    const voice = await openVoice(stage, subject)
    subject.breaks()
    const { error } = await takeSoon(stage, voice.speak(pieces(TEXT), unaborted()))
    assert.notEqual(error, undefined)
    return undefined
  }),
]
