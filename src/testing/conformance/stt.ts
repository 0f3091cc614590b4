import assert from 'node:assert/strict'
import { bytesOf, frameOf, silence, sine, type AudioFormat, type AudioFrame } from '../../audio/index.ts'
import {
  type TranscriptDetails,
  noSttEvents,
  type PartContext,
  type Stt,
  type SttEvents,
  type SttSetup,
  type SttStream,
} from '../../parts/index.ts'
import { check, type Check } from './check.ts'
import { close, lifecycle, type Openable } from './lifecycle.ts'
import type { Stage } from './stage.ts'

/** An STT, and control over what it hears. */
export interface SttSubject extends Openable {
  readonly stt: Stt
  /** Makes the STT recognise the audio pushed next as these words. */
  hear(text: string): void | Promise<void>
  /** Breaks the open streams permanently. */
  breaks?(): void
}

interface Listening {
  readonly context: PartContext
  readonly stream: SttStream
  /** All events, in order. */
  readonly emitted: {
    readonly what: keyof SttEvents
    readonly text: string
    readonly details?: TranscriptDetails
  }[]
  /** Resolves when these words have become final. */
  readonly final: (words: string) => Promise<void>
}

const setupOf = ({ hears }: Stt, format = hears[0]!): SttSetup => ({ format, keyTerms: ['Bright Dental'] })

async function listen(
  stage: Stage,
  { stt }: SttSubject,
  context: PartContext = stage.context(),
  format: AudioFormat = stt.hears[0]!,
): Promise<Listening> {
  const emitted: Listening['emitted'] = []
  const looks = new Set<() => void>()
  const final = (words: string): Promise<void> =>
    new Promise((resolve) => {
      looks.add(() => {
        if (finals(emitted) === words) resolve()
      })
    })
  const stream = await stage.soon(
    stt.open(
      context,
      {
        ...noSttEvents,
        started: () => emitted.push({ what: 'started', text: '' }),
        interim: (text) => emitted.push({ what: 'interim', text }),
        maybeEndOfTurn: () => emitted.push({ what: 'maybeEndOfTurn', text: '' }),
        resumed: () => emitted.push({ what: 'resumed', text: '' }),
        final: (text, details) => {
          emitted.push({ what: 'final', text, ...(details && { details }) })
          for (const look of looks) look()
        },
        endOfTurn: () => emitted.push({ what: 'endOfTurn', text: '' }),
        failed: (error) => emitted.push({ what: 'failed', text: String(error) }),
      },
      setupOf(stt, format),
    ),
    'opening',
  )
  return { context, stream, emitted, final }
}

/** Half a second of a loud tone, then half a second of silence. */
function speech({ stt }: SttSubject, format = stt.hears[0]!): AudioFrame[] {
  const { sampleRate } = format
  const loud = sine(300, { sampleRate, duration: 20 })
  const quiet = silence(20, sampleRate)
  const frames = Array.from({ length: 50 }, (_, index) => (index < 25 ? loud : quiet))
  return format.encoding === 'pcm' ? frames : frames.map((each) => frameOf(bytesOf(each, format), format))
}

/** Speaks, and then ends the speech as a session does. */
async function say(
  subject: SttSubject,
  stream: SttStream,
  text: string,
  end: 'flush' | 'detach',
  format?: AudioFormat,
): Promise<void> {
  await subject.hear(text)
  for (const frame of speech(subject, format)) stream.push(frame)
  stream[end]()
}

const finals = (emitted: Listening['emitted']): string =>
  emitted
    .filter(({ what }) => what === 'final')
    .map(({ text }) => text.trim())
    .join(' ')

function assertDetails({ words = [], confidence = 1 }: TranscriptDetails): void {
  let last = 0
  for (const word of words) {
    assert.ok(word.start >= last && word.end >= word.start, `'${word.text}' is out of order`)
    last = word.start
  }
  for (const each of [confidence, ...words.map((word) => word.confidence ?? 1)])
    assert.ok(each >= 0 && each <= 1, `a confidence is ${each}`)
}

/** The checks for every `Stt`. */
export const sttConformance: readonly Check<SttSubject>[] = [
  ...lifecycle<SttSubject>(({ stt }, context) => stt.open(context, noSttEvents, setupOf(stt))),

  check('emits final words after a flush, and continues', async (stage, subject) => {
    const { context, stream, emitted, final } = await listen(stage, subject)
    await say(subject, stream, 'one two', 'flush')
    await stage.within(2_000, final('one two'))
    assert.equal(finals(emitted), 'one two')
    await say(subject, stream, 'three', 'flush')
    await stage.within(2_000, final('one two three'))
    await stage.elapse(1_000)
    assert.equal(finals(emitted), 'one two three')
    await close(stage, context)
  }),

  check('understands sound in every format it hears', async (stage, subject) => {
    for (const format of subject.stt.hears) {
      const { context, stream, emitted, final } = await listen(stage, subject, stage.context(), format)
      await say(subject, stream, 'goodbye', 'flush', format)
      await stage.within(2_000, final('goodbye'))
      assert.equal(finals(emitted), 'goodbye', `in ${format.encoding} of ${format.sampleRate} Hz`)
      await close(stage, context)
    }
  }),

  check(
    'announces an end of turn before it takes one back, and details that make sense, if any',
    async (stage, subject) => {
      const { context, stream, emitted, final } = await listen(stage, subject)
      await say(subject, stream, 'one two', 'flush')
      await stage.within(2_000, final('one two'))
      await stage.elapse(1_000)
      let announced = false
      for (const { what, details = {} } of emitted) {
        if (what === 'resumed') assert.ok(announced, 'it took back an end of turn that it had not announced')
        announced = what === 'maybeEndOfTurn' || (announced && what === 'final')
        assertDetails(details)
      }
      await close(stage, context)
    },
  ),

  check('emits final words after it is detached', async (stage, subject) => {
    const { context, stream, emitted, final } = await listen(stage, subject)
    await say(subject, stream, 'goodbye', 'detach')
    await stage.within(2_000, final('goodbye'))
    assert.equal(finals(emitted), 'goodbye')
    await close(stage, context)
  }),

  check('emits the last words while its scope is closing and waits for them', async (stage, subject) => {
    // As in a session: tasks end first, and the scope of the parts after them.
    // On a busy machine, recognition may take longer than the default `taskCap`.
    const session = stage.context({ closeTimeout: 10_000, taskCap: 9_000 })
    const links = session.scope.child('links', { phase: 'resources' })
    const { stream, emitted, final } = await listen(stage, subject, { ...session, scope: links })
    await subject.hear('last words')
    for (const frame of speech(subject)) stream.push(frame)
    session.scope.spawn('last words', () => stage.within(900, final('last words')))
    const closing = session.scope.close()
    stream.detach()
    await stage.soon(closing, 'closing')
    assert.equal(finals(emitted), 'last words')
  }),

  check('accepts every call at any time without throwing', async (stage, subject) => {
    const { context, stream } = await listen(stage, subject)
    const { sampleRate } = subject.stt.hears[0]!
    const everything = (): void => {
      stream.push({ samples: new Int16Array(0), sampleRate })
      stream.push(silence(3, sampleRate))
      stream.push(sine(300, { sampleRate, duration: 1_000 }))
      stream.flush()
      stream.flush()
      stream.configure({ keyTerms: ['Dr Okonkwo', 'IBAN'] })
      stream.configure({ keyTerms: [] })
    }
    everything()
    stream.detach()
    everything()
    stream.detach()
    const closing = context.scope.close()
    everything()
    await closing
    everything()
    stream.detach()
    stage.assertEmpty(context)
  }),

  check('emits nothing after its scope has closed', async (stage, subject) => {
    const { context, stream, emitted } = await listen(stage, subject)
    await say(subject, stream, 'too late', 'flush')
    await close(stage, context)
    const before = emitted.length
    await say(subject, stream, 'much too late', 'flush')
    subject.breaks?.()
    await stage.elapse(5_000)
    assert.equal(emitted.length, before, 'it emitted something')
    stage.assertNothingLeft()
  }),

  check(
    'ends synchronously on abort() in the middle of speech, and emits nothing afterwards',
    async (stage, subject) => {
      const { context, stream, emitted } = await listen(stage, subject)
      await say(subject, stream, 'cut off', 'flush')
      context.scope.abort()
      stage.assertEmpty(context)
      const before = emitted.length
      await stage.elapse(5_000)
      assert.equal(emitted.length, before, 'it emitted something')
    },
  ),

  check('closes on time in the middle of speech', async (stage, subject) => {
    const { context, stream } = await listen(stage, subject)
    await subject.hear('and another thing')
    for (const frame of speech(subject).slice(0, 20)) stream.push(frame)
    await close(stage, context)
  }),

  check('keeps two streams apart', async (stage, subject) => {
    const one = await listen(stage, subject)
    const two = await listen(stage, subject)
    await one.context.scope.close()
    await say(subject, two.stream, 'for two', 'flush')
    await stage.within(2_000, two.final('for two'))
    assert.equal(finals(two.emitted), 'for two')
    assert.equal(finals(one.emitted), '')
    await close(stage, two.context)
  }),

  check('emits one failure, and nothing afterwards', async (stage, subject) => {
    if (!subject.breaks) return 'the subject cannot be broken'
    const { context, stream, emitted } = await listen(stage, subject)
    stream.push(silence(20, subject.stt.hears[0]!.sampleRate))
    subject.breaks()
    await stage.until(60_000, () => emitted.length > 0)
    await stage.elapse(5_000)
    assert.deepEqual(
      emitted.map(({ what }) => what),
      ['failed'],
    )
    subject.breaks()
    await say(subject, stream, 'anybody there?', 'flush')
    await stage.elapse(5_000)
    assert.equal(emitted.length, 1, 'it emitted something after the failure')
    await close(stage, context)
    return undefined
  }),
]
