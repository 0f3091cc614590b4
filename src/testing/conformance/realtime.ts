import assert from 'node:assert/strict'
import { silence } from '../../audio/index.ts'
import type { LlmChunk, PartContext, Realtime, RealtimeModel, RealtimeSetup } from '../../parts/index.ts'
import { check, type Check } from './check.ts'
import { close, lifecycle, type Openable } from './lifecycle.ts'
import { RealtimeRecorder } from './realtime-recorder.ts'
import type { Stage } from './stage.ts'

/** A realtime model, and control over what it hears and answers. */
export interface RealtimeSubject extends Openable {
  readonly realtime: Realtime
  /** Makes the user say this, and stop. */
  hear(text: string): void
  /** Sets the next answer; its text is spoken. With `hangs`, the answer never ends. */
  answers(chunks: readonly LlmChunk[], hangs?: boolean): void
  /** Its protocol carries tool inputs as objects, so an invalid input cannot occur. */
  readonly inputIsObject?: boolean
  /** The tool outputs that have reached the model. */
  results(): readonly string[]
  /** Breaks the connection, so that it cannot be resumed. */
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
  readonly emitted: RealtimeRecorder
}

const setupOf = ({ hears, speaks }: Realtime): RealtimeSetup => ({
  hears: hears[0]!,
  speaks: speaks[0],
  instructions: 'Be brief.',
  tools: [],
  messages: [],
  takesTurns: true,
})

async function talk(
  stage: Stage,
  { realtime }: RealtimeSubject,
  takesTurns = true,
  formats: Partial<RealtimeSetup> = {},
): Promise<Talking> {
  const emitted = new RealtimeRecorder()
  const context = stage.context()
  const model = await stage.soon(
    realtime.open(context, { ...setupOf(realtime), takesTurns, ...formats }, emitted),
    'opening',
  )
  return { context, model, emitted }
}

/** The checks for every `Realtime`. */
export const realtimeConformance: readonly Check<RealtimeSubject>[] = [
  ...lifecycle<RealtimeSubject>(({ realtime }, context) =>
    realtime.open(context, setupOf(realtime), new RealtimeRecorder()),
  ),

  check('transcribes the user, and answers with text and audio', async (stage, subject) => {
    const { context, emitted } = await talk(stage, subject)
    subject.answers(words)
    subject.hear('good morning')
    await stage.until(5_000, () => emitted.completed === 1 && emitted.user.trim() === 'good morning')
    await stage.elapse(500)
    assert.equal(emitted.user.trim(), 'good morning')
    assert.deepEqual(
      emitted.answers.map(({ text, how }) => `${text} ${how}`),
      ['Good morning to you. completed'],
    )
    assert.ok(emitted.answers[0]!.sound > 0, 'it emitted no audio')
    assert.equal(emitted.answers[0]!.asked, false, 'the answer was not requested')
    assert.deepEqual([...emitted.rates], [subject.realtime.speaks[0]!.sampleRate])
    await close(stage, context)
  }),

  check('answers when a response is requested, and not before', async (stage, subject) => {
    const { emitted, model } = await talk(stage, subject, false)
    subject.answers(words)
    model.addText('Good morning.')
    await stage.elapse(2_000)
    assert.equal(emitted.answers.length, 0, 'it answered before a response was requested')
    model.respond('Greet the caller.')
    await stage.until(5_000, () => emitted.completed === 1)
    await stage.elapse(500)
    assert.deepEqual(
      emitted.answers.map(({ text }) => text),
      ['Good morning to you.'],
    )
    assert.equal(emitted.answers[0]!.asked, true, 'the answer was requested')
  }),

  check('hears and speaks in every format it offers', async (stage, subject) => {
    const { hears, speaks } = subject.realtime
    for (const [heard, spoken] of [
      ...hears.map((each) => [each, speaks[0]!] as const),
      ...speaks.map((each) => [hears[0]!, each] as const),
    ]) {
      const { context, emitted, model } = await talk(stage, subject, false, { hears: heard, speaks: spoken })
      subject.answers(words)
      model.push(silence(20, heard.sampleRate))
      model.respond()
      await stage.until(5_000, () => emitted.completed === 1)
      assert.deepEqual([...emitted.rates], [spoken.sampleRate])
      await close(stage, context)
    }
  }),

  check('answers in text alone if it is asked to and can', async (stage, subject) => {
    if (!subject.realtime.writes) return 'it cannot answer in text'
    const { context, emitted, model } = await talk(stage, subject, false, { speaks: undefined })
    subject.answers(words)
    model.respond()
    await stage.until(5_000, () => emitted.completed === 1)
    assert.deepEqual(
      emitted.answers.map(({ text, sound }) => ({ text, sound })),
      [{ text: 'Good morning to you.', sound: 0 }],
    )
    await close(stage, context)
    return undefined
  }),

  check('says given words exactly, if it can be given words', async (stage, subject) => {
    const { context, emitted, model } = await talk(stage, subject)
    if (!model.say) {
      await close(stage, context)
      return 'it cannot be given words'
    }
    subject.answers(words)
    model.say('Your number is 4, 2, 7.')
    await stage.until(5_000, () => emitted.completed === 1)
    assert.deepEqual(
      emitted.answers.map(({ text, asked }) => `${text} ${asked}`),
      ['Your number is 4, 2, 7. true'],
    )
    assert.ok(emitted.answers[0]!.sound > 0, 'it emitted no audio')
    await close(stage, context)
    return undefined
  }),

  check('answers each request once, in order, one after another', async (stage, subject) => {
    const { emitted, model } = await talk(stage, subject)
    subject.answers(words)
    subject.answers([{ type: 'text', text: 'Goodbye.' }])
    model.respond('Greet the caller.')
    model.respond('Say goodbye.')
    await stage.until(10_000, () => emitted.completed === 2)
    await stage.elapse(500)
    assert.deepEqual(
      emitted.answers.map(({ text, asked, how }) => `${text} ${asked} ${how}`),
      ['Good morning to you. true completed', 'Goodbye. true completed'],
    )
    assert.deepEqual(emitted.disorder, [])
  }),

  check('emits a tool call as the model wrote it, and continues with its result', async (stage, subject) => {
    const { emitted, model } = await talk(stage, subject)
    const written = subject.inputIsObject ? '{"day":"Monday"}' : '{"day":'
    subject.answers([callWith(written)])
    subject.answers(words)
    model.respond()
    await stage.until(2_000, () => emitted.calls.length > 0)
    await stage.elapse(2_000)
    assert.deepEqual(
      emitted.calls.map(({ name, input }) => `${name} ${input}`),
      [`find ${written}`],
    )
    assert.equal(emitted.answers.length, 1, 'it did not wait for the result')
    model.toolResult('no-such-call', 'nothing', false)
    model.toolResult(emitted.calls[0]!.id, 'Monday at nine', false)
    model.respond()
    await stage.until(5_000, () => emitted.answers[1]?.how === 'completed')
    await stage.elapse(500)
    assert.ok(subject.results().includes('Monday at nine'), 'the result did not reach the model')
    assert.deepEqual(
      emitted.answers.map(({ text }) => text),
      ['', 'Good morning to you.'],
    )
  }),

  check('takes the result of a call that the conversation before it has begun', async (stage, subject) => {
    const messages = [
      { role: 'user', text: 'Are you free?' },
      { role: 'tool-call', id: 'call-b', name: 'find', input: '{"day":"Monday"}' },
    ] as const
    const { emitted, model } = await talk(stage, subject, true, { messages })
    await stage.elapse(500)
    assert.equal(emitted.answers.length, 0, 'it answered before a response was requested')
    subject.answers(words)
    model.toolResult('call-b', 'Monday at nine', false)
    model.respond()
    await stage.until(5_000, () => emitted.completed === 1)
    assert.deepEqual(
      subject.results().filter((output) => output === 'Monday at nine'),
      ['Monday at nine'],
      'the result did not reach the model once',
    )
  }),

  check('emits each answer once, from its start to its end', async (stage, subject) => {
    const { emitted, model } = await talk(stage, subject)
    for (let i = 0; i < 3; i++) {
      subject.answers(words)
      model.respond()
      await stage.until(5_000, () => emitted.completed === i + 1)
      await stage.elapse(500)
    }
    assert.equal(emitted.answers.length, 3)
    assert.deepEqual(emitted.disorder, [])
  }),

  check('stops an interrupted answer, and emits nothing of it after its end', async (stage, subject) => {
    const { emitted, model, context } = await talk(stage, subject)
    subject.answers(words, true)
    model.respond()
    await stage.until(1_000, () => emitted.speaking)
    model.interrupt(emitted.answers[0]!.response, 100)
    await stage.until(2_000, () => emitted.answers[0]!.how !== 'running')
    await stage.elapse(500)
    assert.deepEqual(
      emitted.answers.map(({ how }) => how),
      ['cancelled'],
    )
    subject.answers(words)
    model.respond()
    await stage.until(5_000, () => emitted.completed === 1)
    await stage.elapse(500)
    assert.deepEqual(
      emitted.answers.map(({ how }) => how),
      ['cancelled', 'completed'],
    )
    assert.deepEqual(emitted.disorder, [])
    await close(stage, context)
  }),

  check('can be interrupted while it is silent', async (stage, subject) => {
    const { emitted, model } = await talk(stage, subject)
    model.interrupt('no-such-answer', 0)
    subject.answers(words)
    model.respond()
    await stage.until(5_000, () => emitted.completed === 1)
    model.interrupt(emitted.answers[0]!.response, 100)
    await stage.elapse(2_000)
    assert.deepEqual(
      emitted.answers.map(({ how }) => how),
      ['completed'],
    )
  }),

  check('accepts every call at any time without throwing', async (stage, subject) => {
    const { model, context } = await talk(stage, subject)
    const everything = (): void => {
      model.push(silence(20, subject.realtime.hears[0]!.sampleRate))
      model.push({ samples: new Int16Array(0), sampleRate: subject.realtime.hears[0]!.sampleRate })
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

  check('closes on time in the middle of an answer, and emits nothing afterwards', async (stage, subject) => {
    const { model, emitted, context } = await talk(stage, subject)
    subject.answers(words, true)
    model.respond()
    await stage.until(500, () => emitted.speaking)
    await close(stage, context)
    const before = emitted.count
    subject.hear('anybody there?')
    subject.breaks?.()
    await stage.elapse(5_000)
    assert.equal(emitted.count, before, 'it emitted something')
  }),

  check(
    'ends synchronously on abort() in the middle of an answer, and emits nothing afterwards',
    async (stage, subject) => {
      const { model, emitted, context } = await talk(stage, subject)
      subject.answers(words, true)
      model.respond()
      await stage.until(500, () => emitted.speaking)
      context.scope.abort()
      stage.assertEmpty(context)
      const before = emitted.count
      await stage.elapse(5_000)
      assert.equal(emitted.count, before, 'it emitted something')
    },
  ),

  check('emits one failure, and nothing afterwards', async (stage, subject) => {
    if (!subject.breaks) return 'the subject cannot be broken'
    const { model, emitted, context } = await talk(stage, subject)
    subject.answers(words, true)
    model.respond()
    await stage.until(500, () => emitted.speaking)
    subject.breaks()
    await stage.until(60_000, () => emitted.failures.length > 0)
    await stage.elapse(5_000)
    assert.equal(emitted.failures.length, 1)
    const before = emitted.count
    subject.breaks()
    subject.hear('anybody there?')
    model.respond()
    await stage.elapse(5_000)
    assert.equal(emitted.count, before, 'it emitted something after the failure')
    await close(stage, context)
    return undefined
  }),
]
