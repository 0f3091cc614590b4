import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../src/testing/index.ts'
import { liveStage, rtviStage } from './rtvi-stage.ts'

const ready = (version: unknown): object => ({ version, about: { library: 'test' } })

describe('the handshake', () => {
  it('[RV1] is answered once the session has started, with the id of the client', () =>
    inVirtualTime(async (world) => {
      const stage = rtviStage(world, { tts: { openTakes: 300 } })
      stage.says('client-ready', ready('2.1.0'), 'abc')
      const starting = stage.session.start()
      await stage.clock.elapse(299)
      expect(stage.received).toEqual([])
      await starting
      expect(stage.received).toEqual([
        {
          at: 300,
          label: 'rtvi-ai',
          type: 'bot-ready',
          id: 'abc',
          data: { version: '2.1.0', about: { library: 'endwell' } },
        },
      ])
      await stage.end()
    }))

  it('[RV1] is answered at once by a session that has started before', () =>
    inVirtualTime(async (world) => {
      const stage = rtviStage(world)
      await stage.session.start()
      stage.says('client-ready', ready('2.1.0'))
      expect(stage.types()).toEqual(['bot-ready'])
      await stage.end()
    }))

  it.each(['before', 'after'])(
    '[RV1] is answered if the call ends first, because the client waits for ever (client-ready %s the end)',
    (when) =>
      inVirtualTime(async (world) => {
        const stage = rtviStage(world)
        if (when === 'before') stage.says('client-ready', ready('2.1.0'))
        await stage.end()
        if (when === 'after') stage.says('client-ready', ready('2.1.0'))
        expect(stage.types()).toEqual(['bot-ready'])
      }),
  )

  it.each([
    ['1.4.0', '1.4.0'],
    ['1.0', '1.0'],
    ['2.0.0', '2.1.0'],
    ['3.0.0', '2.1.0'],
    ['1.x', '2.1.0'],
    [7, '2.1.0'],
    [undefined, '2.1.0'],
  ])('[RV1] with version %s is answered with %s', (theirs, ours) =>
    inVirtualTime(async (world) => {
      const stage = rtviStage(world)
      await stage.session.start()
      stage.says('client-ready', ready(theirs))
      expect(stage.all('bot-ready')[0]).toMatchObject({ version: ours })
      await stage.end()
    }),
  )
})

describe('a conversation', () => {
  it('[RV2] is shown as it happens: who speaks, what is said, and what of it was heard', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world, { answers: ['We are open. From eight to six.'] })
      await stage.caller.says('When are you open')
      await stage.caller.pauses(5_000)
      expect([...new Set(stage.types())]).toEqual([
        'user-started-speaking',
        'user-transcription',
        'user-stopped-speaking',
        'user-llm-text',
        'bot-llm-started',
        'bot-llm-text',
        'bot-started-speaking',
        'bot-tts-started',
        'bot-output',
        'bot-llm-stopped',
        'metrics',
        'bot-tts-text',
        'bot-tts-stopped',
        'bot-stopped-speaking',
      ])
      const [partial, ...transcripts] = stage.all('user-transcription')
      expect(partial).toMatchObject({ final: false, user_id: '' })
      expect(transcripts.at(-1)).toMatchObject({ text: 'When are you open', final: true })
      expect(new Date(String(partial?.['timestamp'])).getTime()).not.toBeNaN()
      expect(stage.all('user-llm-text')).toEqual([{ text: 'When are you open' }])
      const words = (type: string): string =>
        stage
          .all(type)
          .map(({ text }) => text)
          .join('')
      expect(words('bot-llm-text')).toBe('We are open. From eight to six.')
      expect(words('bot-tts-text').replaceAll(' ', '')).toBe('Weareopen.Fromeighttosix.')
      await stage.end()
    }))

  it('[RV2] has segments that are new, then in progress, then completed as they are heard', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world)
      stage.session.say('We are open. From eight to six.')
      await stage.clock.elapse(5_000)
      const outputs = stage.all('bot-output')
      expect(outputs[0]).toEqual({
        text: 'We are open.',
        aggregated_by: 'sentence',
        segment_id: 1,
        will_be_spoken: true,
        spoken_status: 'new',
        spoken_progress: { accumulated_text: '', remaining_text: 'We are open.' },
      })
      for (const [segment, text] of [
        [1, 'We are open.'],
        [2, 'From eight to six.'],
      ] as const) {
        const own = outputs.filter((output) => output['segment_id'] === segment)
        const statuses = own.map((output) => output['spoken_status'])
        expect(statuses).toEqual(['new', ...statuses.slice(1, -1).map(() => 'in-progress'), 'completed'])
        for (const { spoken_progress: progress } of own) {
          const { accumulated_text: heard, remaining_text: rest } = progress as Record<string, string>
          expect(`${heard}${rest}`).toBe(text)
        }
      }
      await stage.end()
    }))

  it('[RV2] shows what was really heard of a speech that was interrupted, and the rest stays unspoken', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world, { answers: ['Fine.'] })
      const speech = stage.session.say('We are open. From eight to six. And on Sundays.')
      await stage.clock.elapse(1_000)
      stage.says('send-text', { content: 'Thanks!' })
      await stage.clock.elapse(300)
      expect(speech.outcome).toMatchObject({ how: 'interrupted' })
      const last = new Map(stage.all('bot-output').map((output) => [output['segment_id'], output]))
      const heard = speech.outcome!.heard.slice('We are open. '.length)
      expect(heard.length).toBeGreaterThan(0)
      // Our own page drops what it has not played yet.
      expect(stage.all('bot-interrupted')).toHaveLength(1)
      expect([...last.values()].slice(0, 3)).toMatchObject([
        { spoken_status: 'completed' },
        { spoken_status: 'in-progress', spoken_progress: { accumulated_text: heard } },
        { spoken_status: 'new' },
      ])
      await stage.end()
    }))

  it('[RV1] [RV2] for a client of version 1 has each sentence when it is known, and again as far as it was heard', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world, { version: '1.4.0' })
      const speech = stage.session.say('We are open. From eight to six.')
      await stage.clock.elapse(1_000)
      speech.interrupt()
      await stage.clock.elapse(100)
      expect(stage.all('bot-output')).toEqual([
        { text: 'We are open.', spoken: false, aggregated_by: 'sentence' },
        { text: 'From eight to six.', spoken: false, aggregated_by: 'sentence' },
        { text: 'We are open.', spoken: true, aggregated_by: 'sentence' },
        { text: expect.stringMatching(/^From e/) as string, spoken: true, aggregated_by: 'sentence' },
      ])
      expect(stage.all('bot-transcription')).toHaveLength(2)
      await stage.end()
    }))

  it('[RV2] leaves no timer behind, whether a speech ends or the call does', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world)
      const timers = (): string[] => stage.clockTimers().filter((name) => name.includes('has heard'))
      stage.session.say('We are open.')
      await stage.clock.elapse(300)
      expect(timers()).toHaveLength(1)
      await stage.clock.elapse(2_000)
      expect(timers()).toEqual([])
      stage.session.say('From eight to six.')
      await stage.clock.elapse(300)
      stage.conversation.end()
      expect(timers()).toEqual([])
      const before = stage.received.length
      await stage.clock.elapse(2_000)
      expect(stage.received).toHaveLength(before)
      await stage.end()
    }))

  it('[RV2] says that the caller is not heard while on hold', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world)
      const hold = stage.session.hold()
      hold.resume()
      expect(stage.types().filter((type) => type.startsWith('user-mute'))).toEqual([
        'user-mute-started',
        'user-mute-stopped',
      ])
      await stage.end()
    }))

  it('[RV2] says where something failed, but not why', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world)
      stage.session.reportError('llm', new Error('the key sk-123 was refused'))
      expect(stage.all('error')).toEqual([{ error: 'llm failed', fatal: false }])
      await stage.end()
    }))

  it('[RV3] has metrics: the stages of the latency in seconds, and what was used since the last time', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world, {
        answers: ['Fine.', 'Fine.'],
        llm: { firstAfter: 200 },
      })
      for (const text of ['How are you?', 'And you?']) {
        stage.caller.types(text)
        await stage.clock.elapse(3_000)
      }
      const metrics = stage.all('metrics')
      const report = await stage.session.close()
      const latencies = metrics.filter(({ ttfb }) => ttfb)
      expect(latencies).toHaveLength(2)
      for (const [index, { latency, stages }] of report.turns.entries()) {
        const ttfb = Object.entries(stages).map(([processor, ms]) => ({ processor, value: ms / 1000 }))
        expect(latencies[index]).toEqual({ ttfb, processing: [{ processor: 'turn', value: latency / 1000 }] })
      }
      const used = metrics.flatMap(({ characters }) => characters ?? []) as { value: number }[]
      expect(used).toHaveLength(2)
      expect(used.reduce((sum, { value }) => sum + value, 0)).toBe(report.usage.characters)
      await stage.end()
    }))
})
