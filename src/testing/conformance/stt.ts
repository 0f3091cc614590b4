import assert from 'node:assert/strict'
import { silence, sine, type AudioFrame } from '../../audio/index.ts'
import type { PartContext, Stt, SttEvents, SttStream } from '../../parts/index.ts'
import { check, type Check } from './check.ts'
import { close, lifecycle, type Openable } from './lifecycle.ts'
import type { Stage } from './stage.ts'

/** An STT and the world behind it. */
export interface SttSubject extends Openable {
  readonly stt: Stt
  /** What is pushed next will be understood as these words. */
  hear(text: string): void | Promise<void>
  /** The open streams break for good. */
  breaks?(): void
}

interface Listening {
  readonly context: PartContext
  readonly stream: SttStream
  /** Everything that was told, in order. */
  readonly told: { readonly what: keyof SttEvents; readonly text: string }[]
  /** Resolves when these words have become final. */
  readonly final: (words: string) => Promise<void>
}

async function listen(
  stage: Stage,
  { stt }: SttSubject,
  context: PartContext = stage.context(),
): Promise<Listening> {
  const told: Listening['told'] = []
  const looks = new Set<() => void>()
  const final = (words: string): Promise<void> =>
    new Promise((resolve) => {
      looks.add(() => {
        if (finals(told) === words) resolve()
      })
    })
  const stream = await stage.soon(
    stt.open(context, {
      interim: (text) => told.push({ what: 'interim', text }),
      final: (text) => {
        told.push({ what: 'final', text })
        for (const look of looks) look()
      },
      endOfTurn: () => told.push({ what: 'endOfTurn', text: '' }),
      failed: (error) => told.push({ what: 'failed', text: String(error) }),
    }),
    'opening',
  )
  return { context, stream, told, final }
}

/** Half a second of a loud tone, and as much silence. */
function speech({ stt: { sampleRate } }: SttSubject): AudioFrame[] {
  const loud = sine(300, { sampleRate, duration: 20 })
  const quiet = silence(20, sampleRate)
  return Array.from({ length: 50 }, (_, index) => (index < 25 ? loud : quiet))
}

/** Says something, and does what the session does when the user has stopped. */
async function say(
  subject: SttSubject,
  stream: SttStream,
  text: string,
  end: 'flush' | 'detach',
): Promise<void> {
  await subject.hear(text)
  for (const frame of speech(subject)) stream.push(frame)
  stream[end]()
}

const finals = (told: Listening['told']): string =>
  told
    .filter(({ what }) => what === 'final')
    .map(({ text }) => text.trim())
    .join(' ')

/** What every `Stt` must do. */
export const sttConformance: readonly Check<SttSubject>[] = [
  ...lifecycle<SttSubject>(({ stt }, context) =>
    stt.open(context, { interim() {}, final() {}, endOfTurn() {}, failed() {} }),
  ),

  check('makes final what was said before it was flushed, and goes on', async (stage, subject) => {
    const { context, stream, told, final } = await listen(stage, subject)
    await say(subject, stream, 'one two', 'flush')
    await stage.within(2_000, final('one two'))
    assert.equal(finals(told), 'one two')
    await say(subject, stream, 'three', 'flush')
    await stage.within(2_000, final('one two three'))
    await stage.elapse(1_000)
    assert.equal(finals(told), 'one two three')
    await close(stage, context)
  }),

  check('makes final what was said before it was detached', async (stage, subject) => {
    const { context, stream, told, final } = await listen(stage, subject)
    await say(subject, stream, 'goodbye', 'detach')
    await stage.within(2_000, final('goodbye'))
    assert.equal(finals(told), 'goodbye')
    await close(stage, context)
  }),

  check(
    'still tells the last words while its scope is closing and waits for them',
    async (stage, subject) => {
      // As in a session: its tasks come first, and the scope in which parts are opened is ended after them.
      // On a busy machine, recognising may take longer than tasks hold a close back by default.
      const session = stage.context({ closeTimeout: 10_000, taskCap: 9_000 })
      const links = session.scope.child('links', { phase: 'resources' })
      const { stream, told, final } = await listen(stage, subject, { ...session, scope: links })
      await subject.hear('last words')
      for (const frame of speech(subject)) stream.push(frame)
      session.scope.spawn('last words', () => stage.within(900, final('last words')))
      const closing = session.scope.close()
      stream.detach()
      await stage.soon(closing, 'closing')
      assert.equal(finals(told), 'last words')
    },
  ),

  check('takes anything at any time without throwing', async (stage, subject) => {
    const { context, stream } = await listen(stage, subject)
    const { sampleRate } = subject.stt
    const everything = (): void => {
      stream.push({ samples: new Int16Array(0), sampleRate })
      stream.push(silence(3, sampleRate))
      stream.push(sine(300, { sampleRate, duration: 1_000 }))
      stream.flush()
      stream.flush()
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

  check('tells nothing after its scope has closed', async (stage, subject) => {
    const { context, stream, told } = await listen(stage, subject)
    await say(subject, stream, 'too late', 'flush')
    await close(stage, context)
    const before = told.length
    await say(subject, stream, 'much too late', 'flush')
    subject.breaks?.()
    await stage.elapse(5_000)
    assert.equal(told.length, before, 'something was told')
    stage.assertNothingLeft()
  }),

  check('is ended by abort() in the middle of speech, and tells nothing after it', async (stage, subject) => {
    const { context, stream, told } = await listen(stage, subject)
    await say(subject, stream, 'cut off', 'flush')
    context.scope.abort()
    stage.assertEmpty(context)
    const before = told.length
    await stage.elapse(5_000)
    assert.equal(told.length, before, 'something was told')
  }),

  check('is closed in the middle of speech, on time', async (stage, subject) => {
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
    assert.equal(finals(two.told), 'for two')
    assert.equal(finals(one.told), '')
    await close(stage, two.context)
  }),

  check('fails once, loudly, and tells nothing after it', async (stage, subject) => {
    if (!subject.breaks) return 'the subject cannot be broken'
    const { context, stream, told } = await listen(stage, subject)
    stream.push(silence(20, subject.stt.sampleRate))
    subject.breaks()
    await stage.until(60_000, () => told.length > 0)
    await stage.elapse(5_000)
    assert.deepEqual(
      told.map(({ what }) => what),
      ['failed'],
    )
    subject.breaks()
    await say(subject, stream, 'anybody there?', 'flush')
    await stage.elapse(5_000)
    assert.equal(told.length, 1, 'something was told after the failure')
    await close(stage, context)
    return undefined
  }),
]
