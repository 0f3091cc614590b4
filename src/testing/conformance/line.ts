import assert from 'node:assert/strict'
import { sine, type AudioFrame } from '../../audio/index.ts'
import type { Line, LineConnection, PartContext } from '../../parts/index.ts'
import { check, type Check } from './check.ts'
import { close, lifecycle, type Openable } from './lifecycle.ts'
import type { Stage } from './stage.ts'

/** A line, and the caller at its other end. */
export interface LineSubject extends Openable {
  readonly line: Line
  readonly caller: {
    /** Speaks for so long. */
    says(ms: number): unknown
    types?(text: string): void
    presses?(digits: string): void
    hangsUp(): void
    /** Is gone without a word. */
    vanishes?(): void
  }
  /** Whether the caller has noticed that the call is over. */
  readonly ended: () => boolean
  /** Milliseconds of sound that the caller heard after closing had begun. */
  audibleAfterClosing?(): number
  /** How long the line may take to notice that the caller is gone: 0 unless set. */
  readonly lostAfter?: number
}

interface Call {
  readonly context: PartContext
  readonly connection: LineConnection
  readonly told: {
    readonly what: string
    readonly at: number
    readonly id?: number
    readonly heard?: number
  }[]
  readonly frames: AudioFrame[]
}

async function answer(stage: Stage, { line }: LineSubject): Promise<Call> {
  const told: Call['told'] = []
  const frames: AudioFrame[] = []
  const context = stage.context()
  const note = (what: string, more = {}): void => void told.push({ what, at: stage.clock.now(), ...more })
  const connection = await stage.soon(
    line.open(context, {
      frame: (frame) => frames.push(frame),
      marked: (id, heard) => note('marked', heard === undefined ? { id } : { id, heard }),
      dtmf: (digit) => note(`key ${digit}`),
      text: (text) => note(`text ${text}`),
      hungUp: () => note('hung up'),
      lost: () => note('lost'),
    }),
    'opening',
  )
  return { context, connection, told, frames }
}

/** Plays so much sound. */
function play({ line: { sampleRate } }: LineSubject, connection: LineConnection, ms: number): void {
  for (let at = 0; at < ms; at += 20) connection.play(sine(300, { sampleRate, duration: 20 }))
}

const words = ({ told }: Call): string[] =>
  told.map(({ what, id }) => (id === undefined ? what : `${what} ${id}`))

/** What every `Line` must do. */
export const lineConformance: readonly Check<LineSubject>[] = [
  ...lifecycle<LineSubject>(({ line }, context) =>
    line.open(context, { frame() {}, marked() {}, dtmf() {}, text() {}, hungUp() {}, lost() {} }),
  ),

  check('brings what the caller says, at its rate', async (stage, subject) => {
    const call = await answer(stage, subject)
    subject.caller.says(500)
    await stage.until(1_000, () => call.frames.length > 0)
    assert.ok(call.frames.length > 0, 'no frame came')
    for (const frame of call.frames) assert.equal(frame.sampleRate, subject.line.sampleRate)
    await close(stage, call.context)
  }),

  check('brings what the caller types and the keys that are pressed, in order', async (stage, subject) => {
    const { caller } = subject
    if (!caller.types && !caller.presses) return 'its callers can only speak'
    const call = await answer(stage, subject)
    caller.types?.('hello')
    caller.presses?.('1#')
    const expected = [...(caller.types ? ['text hello'] : []), ...(caller.presses ? ['key 1', 'key #'] : [])]
    await stage.until(500, () => call.told.length >= expected.length)
    await stage.elapse(100)
    assert.deepEqual(words(call), expected)
    return undefined
  }),

  check(
    'returns each mark once, in order, and not before the sound can have been heard',
    async (stage, subject) => {
      const call = await answer(stage, subject)
      const { connection } = call
      const began = stage.clock.now()
      play(subject, connection, 1_000)
      connection.mark(1)
      play(subject, connection, 500)
      connection.mark(2)
      connection.mark(3)
      await stage.elapse(4_000)
      if (call.told.length === 0) return 'it never confirms'
      assert.deepEqual(words(call), ['marked 1', 'marked 2', 'marked 3'])
      const [one, two] = call.told
      assert.ok(one!.at - began >= 999, `1 s of sound was confirmed after ${one!.at - began} ms`)
      assert.ok(two!.at - began >= 1_499, `1.5 s of sound were confirmed after ${two!.at - began} ms`)
      return undefined
    },
  ),

  check('says, if it knows, how much was heard since the mark before', async (stage, subject) => {
    const { connection, told } = await answer(stage, subject)
    play(subject, connection, 1_000)
    connection.mark(1)
    play(subject, connection, 500)
    connection.mark(2)
    await stage.elapse(4_000)
    if (told[0]?.heard === undefined) return 'it does not know'
    assert.deepEqual(
      told.map(({ heard }) => Math.round(heard!)),
      [1_000, 500],
    )
    return undefined
  }),

  check(
    'returns the marks of what was cleared, and says truly what was heard of it',
    async (stage, subject) => {
      const call = await answer(stage, subject)
      const { connection, told } = call
      const began = stage.clock.now()
      play(subject, connection, 2_000)
      connection.mark(1)
      await stage.elapse(500)
      connection.clear()
      await stage.elapse(4_000)
      if (told.length === 0) return 'it never confirms'
      assert.deepEqual(words(call), ['marked 1'])
      const { heard, at } = told[0]!
      if (heard === undefined) return 'it does not know'
      // Sound may go on for as long as it takes to confirm, but no longer, and never beyond what was played.
      assert.ok(heard <= 2_000 && heard <= at - began + 1, `${heard} ms were heard, it says`)
      return undefined
    },
  ),

  check('plays again after a clear', async (stage, subject) => {
    const call = await answer(stage, subject)
    const { connection } = call
    play(subject, connection, 2_000)
    connection.mark(1)
    connection.clear()
    connection.clear()
    play(subject, connection, 200)
    connection.mark(2)
    await stage.elapse(4_000)
    if (call.told.length === 0) return 'it never confirms'
    assert.deepEqual(words(call), ['marked 1', 'marked 2'])
    return undefined
  }),

  check('tells once that the caller hung up, and nothing after it', async (stage, subject) => {
    const call = await answer(stage, subject)
    const { connection } = call
    play(subject, connection, 500)
    subject.caller.hangsUp()
    await stage.until(100, () => call.told.length > 0)
    assert.deepEqual(words(call), ['hung up'])
    const before = call.frames.length
    connection.mark(1)
    connection.clear()
    play(subject, connection, 500)
    await stage.elapse(4_000)
    assert.deepEqual(words(call), ['hung up'])
    assert.equal(call.frames.length, before, 'sound came after the call')
    await close(stage, call.context)
  }),

  check('tells once that the caller is gone, and nothing after it', async (stage, subject) => {
    if (!subject.caller.vanishes) return 'its callers cannot vanish'
    const call = await answer(stage, subject)
    play(subject, call.connection, 500)
    call.connection.mark(1)
    subject.caller.vanishes()
    await stage.until((subject.lostAfter ?? 0) + 100, () => words(call).includes('lost'))
    assert.deepEqual(
      words(call).filter((what) => !what.startsWith('marked')),
      ['lost'],
    )
    assert.equal(words(call).at(-1), 'lost')
    await stage.elapse(60_000)
    assert.equal(words(call).at(-1), 'lost')
    await close(stage, call.context)
    return undefined
  }),

  check('hangs up when its scope closes, and tells nothing after it', async (stage, subject) => {
    const call = await answer(stage, subject)
    play(subject, call.connection, 2_000)
    call.connection.mark(1)
    await stage.elapse(100)
    await close(stage, call.context)
    await stage.until(100, () => subject.ended())
    assert.ok(subject.ended(), 'the caller is still on the line')
    const before = call.told.length + call.frames.length
    subject.caller.says(100)
    await stage.elapse(4_000)
    assert.equal(call.told.length + call.frames.length, before, 'something was told')
  }),

  check('is silent from the first moment of closing', async (stage, subject) => {
    if (!subject.audibleAfterClosing) return 'nobody knows what its callers hear'
    const { connection, context } = await answer(stage, subject)
    play(subject, connection, 2_000)
    await stage.elapse(100)
    context.scope.spawn('holds the line', () => stage.elapse(500))
    const closing = context.scope.close()
    play(subject, connection, 500)
    await stage.soon(closing, 'closing')
    await stage.elapse(1_000)
    assert.equal(subject.audibleAfterClosing(), 0)
    return undefined
  }),

  check('takes anything at any time without throwing', async (stage, subject) => {
    const { connection, context } = await answer(stage, subject)
    const { sampleRate } = subject.line
    const everything = (): void => {
      connection.play({ samples: new Int16Array(0), sampleRate })
      play(subject, connection, 100)
      connection.mark(1)
      connection.clear()
      connection.mark(2)
    }
    everything()
    const closing = context.scope.close()
    everything()
    await closing
    everything()
    await stage.elapse(1_000)
    stage.assertEmpty(context)
  }),

  check('is cut by abort() in the middle of a speech, and tells nothing after it', async (stage, subject) => {
    const { connection, context, told } = await answer(stage, subject)
    play(subject, connection, 2_000)
    connection.mark(1)
    await stage.elapse(100)
    context.scope.abort()
    stage.assertEmpty(context)
    const before = told.length
    await stage.elapse(4_000)
    assert.equal(told.length, before, 'something was told')
    assert.ok(subject.ended(), 'the caller is still on the line')
  }),
]
