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
    /** Speaks for this many milliseconds. */
    says(ms: number): unknown
    types?(text: string): void
    presses?(digits: string): void
    hangsUp(): void
    /** Disconnects without hanging up. */
    vanishes?(): void
  }
  /** Whether the call has ended for the caller. */
  readonly ended: () => boolean
  /** Milliseconds of audio that the caller heard after closing began. */
  audibleAfterClosing?(): number
  /** Milliseconds within which the line notices that the caller has vanished. Default: 0. */
  readonly lostAfter?: number
}

interface Call {
  readonly context: PartContext
  readonly connection: LineConnection
  readonly emitted: {
    readonly what: string
    readonly at: number
    readonly id?: number
    readonly heard?: number
  }[]
  readonly frames: AudioFrame[]
}

async function answer(stage: Stage, { line }: LineSubject): Promise<Call> {
  const emitted: Call['emitted'] = []
  const frames: AudioFrame[] = []
  const context = stage.context()
  const note = (what: string, more = {}): void => void emitted.push({ what, at: stage.clock.now(), ...more })
  const connection = await stage.soon(
    line.open(context, {
      frame: (frame) => frames.push(frame),
      marked: (id, heard) => note('marked', heard === undefined ? { id } : { id, heard }),
      dtmf: (digit) => note(`key ${digit}`),
      text: (text) => note(`text ${text}`),
      hungUp: () => note('hung up'),
      lost: () => note('lost'),
      handedOver: () => note('handed over'),
    }),
    'opening',
  )
  return { context, connection, emitted, frames }
}

/** Plays this many milliseconds of audio. */
function play({ line }: LineSubject, connection: LineConnection, ms: number): void {
  const { sampleRate } = line.speaks
  for (let at = 0; at < ms; at += 20) connection.play(sine(300, { sampleRate, duration: 20 }))
}

const words = ({ emitted }: Call): string[] =>
  emitted.map(({ what, id }) => (id === undefined ? what : `${what} ${id}`))

/** The checks for every `Line`. */
export const lineConformance: readonly Check<LineSubject>[] = [
  ...lifecycle<LineSubject>(({ line }, context) =>
    line.open(context, {
      frame() {},
      marked() {},
      dtmf() {},
      text() {},
      hungUp() {},
      lost() {},
      handedOver() {},
    }),
  ),

  check('emits the audio of the caller in its format', async (stage, subject) => {
    const call = await answer(stage, subject)
    subject.caller.says(500)
    await stage.until(1_000, () => call.frames.length > 0)
    assert.ok(call.frames.length > 0, 'it emitted no frame')
    for (const frame of call.frames) {
      const { encoded, sampleRate } = frame
      assert.deepEqual({ encoding: encoded?.encoding ?? 'pcm', sampleRate }, { ...subject.line.hears })
    }
    await close(stage, call.context)
  }),

  check('emits typed text and pressed keys, in order', async (stage, subject) => {
    const { caller } = subject
    if (!caller.types && !caller.presses) return 'the caller can neither type nor press keys'
    const call = await answer(stage, subject)
    caller.types?.('hello')
    caller.presses?.('1#')
    const expected = [...(caller.types ? ['text hello'] : []), ...(caller.presses ? ['key 1', 'key #'] : [])]
    await stage.until(500, () => call.emitted.length >= expected.length)
    await stage.elapse(100)
    assert.deepEqual(words(call), expected)
    return undefined
  }),

  check(
    'confirms each mark once, in order, and not before its audio can have been heard',
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
      if (call.emitted.length === 0) return 'it never confirms marks'
      assert.deepEqual(words(call), ['marked 1', 'marked 2', 'marked 3'])
      const [one, two] = call.emitted
      assert.ok(one!.at - began >= 999, `1 s of audio was confirmed after ${one!.at - began} ms`)
      assert.ok(two!.at - began >= 1_499, `1.5 s of audio was confirmed after ${two!.at - began} ms`)
      return undefined
    },
  ),

  check('reports how much was heard since the previous mark, if it knows', async (stage, subject) => {
    const { connection, emitted } = await answer(stage, subject)
    play(subject, connection, 1_000)
    connection.mark(1)
    play(subject, connection, 500)
    connection.mark(2)
    await stage.elapse(4_000)
    if (emitted[0]?.heard === undefined) return 'it does not report how much was heard'
    assert.deepEqual(
      emitted.map(({ heard }) => Math.round(heard!)),
      [1_000, 500],
    )
    return undefined
  }),

  check(
    'confirms the marks of cleared audio, and reports correctly how much of it was heard',
    async (stage, subject) => {
      const call = await answer(stage, subject)
      const { connection, emitted } = call
      const began = stage.clock.now()
      play(subject, connection, 2_000)
      connection.mark(1)
      await stage.elapse(500)
      connection.clear()
      await stage.elapse(4_000)
      if (emitted.length === 0) return 'it never confirms marks'
      assert.deepEqual(words(call), ['marked 1'])
      const { heard, at } = emitted[0]!
      if (heard === undefined) return 'it does not report how much was heard'
      // Audio may continue until the mark is confirmed, but not beyond what was played.
      assert.ok(heard <= 2_000 && heard <= at - began + 1, `it reported ${heard} ms as heard`)
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
    if (call.emitted.length === 0) return 'it never confirms marks'
    assert.deepEqual(words(call), ['marked 1', 'marked 2'])
    return undefined
  }),

  check('emits once that the caller hung up, and nothing afterwards', async (stage, subject) => {
    const call = await answer(stage, subject)
    const { connection } = call
    play(subject, connection, 500)
    subject.caller.hangsUp()
    await stage.until(100, () => call.emitted.length > 0)
    assert.deepEqual(words(call), ['hung up'])
    const before = call.frames.length
    connection.mark(1)
    connection.clear()
    play(subject, connection, 500)
    await stage.elapse(4_000)
    assert.deepEqual(words(call), ['hung up'])
    assert.equal(call.frames.length, before, 'it emitted audio after the call')
    await close(stage, call.context)
  }),

  check('emits once that the caller is lost, and nothing afterwards', async (stage, subject) => {
    if (!subject.caller.vanishes) return 'the caller cannot vanish'
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

  check('hangs up when its scope closes, and emits nothing afterwards', async (stage, subject) => {
    const call = await answer(stage, subject)
    play(subject, call.connection, 2_000)
    call.connection.mark(1)
    await stage.elapse(100)
    await close(stage, call.context)
    await stage.until(100, () => subject.ended())
    assert.ok(subject.ended(), 'the caller is still on the line')
    const before = call.emitted.length + call.frames.length
    subject.caller.says(100)
    await stage.elapse(4_000)
    assert.equal(call.emitted.length + call.frames.length, before, 'it emitted something')
  }),

  check('is silent from the moment its scope begins to close', async (stage, subject) => {
    if (!subject.audibleAfterClosing) return 'the subject does not record what the caller hears'
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

  check('accepts every call at any time without throwing', async (stage, subject) => {
    const { connection, context } = await answer(stage, subject)
    const { sampleRate } = subject.line.speaks
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

  check(
    'ends synchronously on abort() in the middle of a speech, and emits nothing afterwards',
    async (stage, subject) => {
      const { connection, context, emitted } = await answer(stage, subject)
      play(subject, connection, 2_000)
      connection.mark(1)
      await stage.elapse(100)
      context.scope.abort()
      stage.assertEmpty(context)
      const before = emitted.length
      await stage.elapse(4_000)
      assert.equal(emitted.length, before, 'it emitted something')
      assert.ok(subject.ended(), 'the caller is still on the line')
    },
  ),
]
