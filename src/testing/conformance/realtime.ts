import assert from 'node:assert/strict'
import { silence } from '../../audio/index.ts'
import type { LlmChunk, PartContext, Realtime, RealtimeModel, RealtimeSetup } from '../../parts/index.ts'
import { check, type Check } from './check.ts'
import { close, lifecycle, type Openable } from './lifecycle.ts'
import { RealtimeRecorder } from './realtime-recorder.ts'
import type { Stage } from './stage.ts'

/** A realtime model and the world behind it. */
export interface RealtimeSubject extends Openable {
  readonly realtime: Realtime
  /** The user says this, and stops. */
  hear(text: string): void
  /** The next answer: its text is spoken. One that `hangs` never comes to its end. */
  answers(chunks: readonly LlmChunk[], hangs?: boolean): void
  /** Its protocol carries the input of a tool as an object: one that is no JSON cannot come. */
  readonly inputIsObject?: boolean
  /** The outputs of tools that have reached the model. */
  results(): readonly string[]
  /** The connection breaks, and cannot be resumed. */
  breaks?(): void
}

const words: readonly LlmChunk[] = ['Good ', 'morning ', 'to ', 'you.'].map((text) => ({
  type: 'text',
  text,
}))
const callWith = (input: string): LlmChunk => ({ type: 'tool-call', id: 'call-a', name: 'find', input })

interface Talking {
  readonly context: PartContext
  readonly model: RealtimeModel
  readonly told: RealtimeRecorder
}

const setup: RealtimeSetup = { instructions: 'Be brief.', tools: [], messages: [], takesTurns: true }

async function talk(stage: Stage, { realtime }: RealtimeSubject, takesTurns = true): Promise<Talking> {
  const told = new RealtimeRecorder()
  const context = stage.context()
  const model = await stage.soon(realtime.open(context, { ...setup, takesTurns }, told), 'opening')
  return { context, model, told }
}

/** What every `Realtime` must do. */
export const realtimeConformance: readonly Check<RealtimeSubject>[] = [
  ...lifecycle<RealtimeSubject>(({ realtime }, context) =>
    realtime.open(context, setup, new RealtimeRecorder()),
  ),

  check('hears the user, and answers with words and sound', async (stage, subject) => {
    const { context, told } = await talk(stage, subject)
    subject.answers(words)
    subject.hear('good morning')
    await stage.until(5_000, () => told.completed === 1 && told.user.trim() === 'good morning')
    await stage.elapse(500)
    assert.equal(told.user.trim(), 'good morning')
    assert.deepEqual(
      told.answers.map(({ text, how }) => `${text} ${how}`),
      ['Good morning to you. completed'],
    )
    assert.ok(told.answers[0]!.sound > 0, 'it gave no sound')
    assert.equal(told.answers[0]!.asked, false, 'nobody asked for it')
    assert.deepEqual([...told.rates], [subject.realtime.outputRate])
    await close(stage, context)
  }),

  check('answers when it is asked', async (stage, subject) => {
    const { told, model } = await talk(stage, subject, false)
    subject.answers(words)
    model.addText('Good morning.')
    await stage.elapse(2_000)
    assert.equal(told.answers.length, 0, 'it answered a text that only was to be added')
    model.respond('Greet the caller.')
    await stage.until(5_000, () => told.completed === 1)
    await stage.elapse(500)
    assert.deepEqual(
      told.answers.map(({ text }) => text),
      ['Good morning to you.'],
    )
    assert.equal(told.answers[0]!.asked, true, 'it was asked for')
  }),

  check('answers each ask once, in order, and one after the other', async (stage, subject) => {
    const { told, model } = await talk(stage, subject)
    subject.answers(words)
    subject.answers([{ type: 'text', text: 'Goodbye.' }])
    model.respond('Greet the caller.')
    model.respond('Say goodbye.')
    await stage.until(10_000, () => told.completed === 2)
    await stage.elapse(500)
    assert.deepEqual(
      told.answers.map(({ text, asked, how }) => `${text} ${asked} ${how}`),
      ['Good morning to you. true completed', 'Goodbye. true completed'],
    )
    assert.deepEqual(told.disorder, [])
  }),

  check('calls a tool as the model wrote it, and goes on with its result', async (stage, subject) => {
    const { told, model } = await talk(stage, subject)
    const written = subject.inputIsObject ? '{"day":"Monday"}' : '{"day":'
    subject.answers([callWith(written)])
    subject.answers(words)
    model.respond()
    await stage.until(2_000, () => told.calls.length > 0)
    await stage.elapse(2_000)
    assert.deepEqual(
      told.calls.map(({ name, input }) => `${name} ${input}`),
      [`find ${written}`],
    )
    assert.equal(told.answers.length, 1, 'it did not wait for the result')
    model.toolResult('a call that never was', 'nothing', false)
    model.toolResult(told.calls[0]!.id, 'Monday at nine', false)
    model.respond()
    await stage.until(5_000, () => told.answers[1]?.how === 'completed')
    await stage.elapse(500)
    assert.ok(subject.results().includes('Monday at nine'), 'the result did not reach it')
    assert.deepEqual(
      told.answers.map(({ text }) => text),
      ['', 'Good morning to you.'],
    )
  }),

  check('tells each answer from its beginning to its end, once', async (stage, subject) => {
    const { told, model } = await talk(stage, subject)
    for (let i = 0; i < 3; i++) {
      subject.answers(words)
      model.respond()
      await stage.until(5_000, () => told.completed === i + 1)
      await stage.elapse(500)
    }
    assert.equal(told.answers.length, 3)
    assert.deepEqual(told.disorder, [])
  }),

  check(
    'stops an answer when it is interrupted, and gives no sound of it after its end',
    async (stage, subject) => {
      const { told, model, context } = await talk(stage, subject)
      subject.answers(words, true)
      model.respond()
      await stage.until(1_000, () => told.speaking)
      model.interrupt(told.answers[0]!.response, 100)
      await stage.until(2_000, () => told.answers[0]!.how !== 'running')
      await stage.elapse(500)
      assert.deepEqual(
        told.answers.map(({ how }) => how),
        ['cancelled'],
      )
      subject.answers(words)
      model.respond()
      await stage.until(5_000, () => told.completed === 1)
      await stage.elapse(500)
      assert.deepEqual(
        told.answers.map(({ how }) => how),
        ['cancelled', 'completed'],
      )
      assert.deepEqual(told.disorder, [])
      await close(stage, context)
    },
  ),

  check('can be interrupted when it says nothing', async (stage, subject) => {
    const { told, model } = await talk(stage, subject)
    model.interrupt('an answer that never was', 0)
    subject.answers(words)
    model.respond()
    await stage.until(5_000, () => told.completed === 1)
    model.interrupt(told.answers[0]!.response, 100)
    await stage.elapse(2_000)
    assert.deepEqual(
      told.answers.map(({ how }) => how),
      ['completed'],
    )
  }),

  check('takes anything at any time without throwing', async (stage, subject) => {
    const { model, context } = await talk(stage, subject)
    const everything = (): void => {
      model.push(silence(20, subject.realtime.inputRate))
      model.push({ samples: new Int16Array(0), sampleRate: subject.realtime.inputRate })
      model.commit()
      model.addText('')
      model.toolResult('none', '', true)
      model.interrupt('none', 0)
      model.update({ instructions: 'Be briefer.', tools: [] })
    }
    everything()
    const closing = context.scope.close()
    everything()
    model.respond()
    await closing
    everything()
    model.respond()
    await stage.elapse(1_000)
    stage.assertEmpty(context)
  }),

  check(
    'is closed in the middle of an answer, on time, and tells nothing after it',
    async (stage, subject) => {
      const { model, told, context } = await talk(stage, subject)
      subject.answers(words, true)
      model.respond()
      await stage.until(500, () => told.speaking)
      await close(stage, context)
      const before = told.count
      subject.hear('anybody there?')
      subject.breaks?.()
      await stage.elapse(5_000)
      assert.equal(told.count, before, 'something was told')
    },
  ),

  check(
    'is ended by abort() in the middle of an answer, and tells nothing after it',
    async (stage, subject) => {
      const { model, told, context } = await talk(stage, subject)
      subject.answers(words, true)
      model.respond()
      await stage.until(500, () => told.speaking)
      context.scope.abort()
      stage.assertEmpty(context)
      const before = told.count
      await stage.elapse(5_000)
      assert.equal(told.count, before, 'something was told')
    },
  ),

  check('fails once, loudly, and tells nothing after it', async (stage, subject) => {
    if (!subject.breaks) return 'the subject cannot be broken'
    const { model, told, context } = await talk(stage, subject)
    subject.answers(words, true)
    model.respond()
    await stage.until(500, () => told.speaking)
    subject.breaks()
    await stage.until(60_000, () => told.failures.length > 0)
    await stage.elapse(5_000)
    assert.equal(told.failures.length, 1)
    const before = told.count
    subject.breaks()
    subject.hear('anybody there?')
    model.respond()
    await stage.elapse(5_000)
    assert.equal(told.count, before, 'something was told after the failure')
    await close(stage, context)
    return undefined
  }),
]
