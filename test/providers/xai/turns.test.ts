import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { milestones, talk, type Talking } from './fixture.ts'

const TRANSCRIPTION = 'conversation.item.input_audio_transcription'

/** The user speaks for a while, as the service reports it. */
function speaks({ sends }: Talking, item_id: string): void {
  sends({ type: 'input_audio_buffer.speech_started', item_id, audio_start_ms: 0 })
  sends({ type: 'input_audio_buffer.speech_stopped', item_id, audio_end_ms: 500 })
  sends({ type: 'input_audio_buffer.committed', item_id })
}

const transcript = (item_id: string, text: string, status?: string) => ({
  type: `${TRANSCRIPTION}.completed`,
  item_id,
  transcript: text,
  ...(status === undefined ? {} : { status }),
})

const begins = (id: string) => [
  { type: 'response.created', response: { id, status_details: 'unimplemented', metadata: null } },
  { type: 'response.output_item.added', response_id: id, item: { type: 'message', id: `item-${id}` } },
]
const says = (id: string, delta: string) => ({
  type: 'response.output_audio_transcript.delta',
  response_id: id,
  item_id: `item-${id}`,
  delta,
})

describe("a user's turn with xAI", () => {
  it('has one final text, although the service completes it several times, once too late', () =>
    inVirtualTime(async (world) => {
      const { server, context, log, said } = await talk(world, { answers: ['Good morning.'] })
      server.hear('is there a slot')
      await world.clock.elapse(3_000)
      expect(milestones(log)).toEqual([
        'user starts',
        'user stops',
        'answer',
        'final is there a slot',
        'completed',
      ])
      expect(log.filter((line) => line.startsWith('interim'))).toEqual([
        'interim is',
        'interim is there',
        'interim is there a',
        'interim is there a slot',
        'interim is there a',
        'interim is there a',
        'interim is there a slot',
      ])
      expect(said()).toBe('Good morning.')
      await context.scope.close()
    }))

  it('is final when the model answers, with the last text until then', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world)
      const { sends, log, context } = talking
      speaks(talking, 'a')
      sends(transcript('a', 'I paid', 'in_progress'))
      sends(transcript('a', 'I paid once.'))
      sends(transcript('a', 'I paid twice.'))
      for (const event of begins('r1')) sends(event)
      await world.clock.elapse(100)
      expect(milestones(log)).toEqual(['user starts', 'user stops', 'answer'])
      sends(says('r1', 'Sorry.'))
      sends(transcript('a', 'I paid twice!'))
      await world.clock.elapse(100)
      expect(milestones(log).slice(3)).toEqual(['final I paid twice.'])
      await context.scope.close()
    }))

  it('is final at once if its text arrives after the model has begun to answer', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world)
      const { sends, log, context } = talking
      speaks(talking, 'a')
      for (const event of [...begins('r1'), says('r1', 'Sorry.')]) sends(event)
      sends({ type: 'response.done', response: { id: 'r1', status: 'completed' } })
      sends(transcript('a', 'I paid', 'in_progress'))
      sends(transcript('a', 'I paid twice.'))
      await world.clock.elapse(100)
      expect(milestones(log).slice(2)).toEqual(['answer', 'completed', 'final I paid twice.'])
      await context.scope.close()
    }))

  it('that goes on after a pause is one turn, and the answer to its first part is cancelled', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world)
      const { sends, log, server, warnings, context } = talking
      speaks(talking, 'a')
      sends(transcript('a', 'Hello.'))
      for (const event of begins('r1')) sends(event)
      speaks(talking, 'a')
      sends(transcript('a', 'Hello. I paid twice.'))
      for (const event of [...begins('r2'), says('r2', 'Sorry.')]) sends(event)
      await world.clock.elapse(100)
      expect(milestones(log)).toEqual([
        'user starts',
        'user stops',
        'answer',
        'final ',
        'user starts',
        'user stops',
        'cancelled',
        'answer',
        'final Hello. I paid twice.',
      ])
      sends({ type: 'response.done', response: { id: 'r2', status: 'completed' } })
      await world.clock.elapse(20_000)
      server.drop()
      await world.clock.elapse(3_000)
      expect(server.transcript).toEqual(['user: Hello. I paid twice.', 'assistant: Sorry.'])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('without an answer is final when the next one begins', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world)
      const { sends, log, context } = talking
      speaks(talking, 'a')
      sends(transcript('a', 'Are you there?'))
      speaks(talking, 'b')
      await world.clock.elapse(100)
      expect(milestones(log).slice(2)).toEqual(['final Are you there?', 'user starts', 'user stops'])
      await context.scope.close()
    }))

  it('[CL6] is final when the session stops listening', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world)
      const { sends, model, log, context } = talking
      speaks(talking, 'a')
      sends(transcript('a', 'Goodbye then.'))
      await world.clock.elapse(10)
      model.commit()
      expect(milestones(log).slice(2)).toEqual(['final Goodbye then.'])
      await context.scope.close()
    }))

  it('is carried over to a new connection with its last text, even if that came late', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world)
      const { sends, server, context } = talking
      speaks(talking, 'a')
      sends(transcript('a', 'I paid once.'))
      for (const event of [...begins('r1'), says('r1', 'Sorry.')]) sends(event)
      sends({ type: 'response.done', response: { id: 'r1', status: 'completed' } })
      sends(transcript('a', 'I paid twice.'))
      await world.clock.elapse(20_000)
      server.drop()
      await world.clock.elapse(3_000)
      expect(server.transcript).toEqual(['user: I paid twice.', 'assistant: Sorry.'])
      await context.scope.close()
    }))

  it('is final as soon as it is transcribed if the session takes the turns', () =>
    inVirtualTime(async (world) => {
      const { sends, log, context } = await talk(world, { setup: { takesTurns: false } })
      sends({ type: 'input_audio_buffer.committed', item_id: 'a' })
      sends(transcript('a', 'Are you there?'))
      await world.clock.elapse(100)
      expect(log).toEqual(['final Are you there?'])
      await context.scope.close()
    }))
})
