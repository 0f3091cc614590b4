import { describe, expect, it } from 'vitest'
import { muLaw } from '../../../src/audio/index.ts'
import { ElevenLabsStt } from '../../../src/providers/elevenlabs/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { ElevenLabsScribeServer } from '../../../src/testing/servers/index.ts'
import { listen } from '../turns/listening.ts'

const apiKey = 'secret-0123456789'
const keyTerms = ['Bright Dental', 'endwell']

describe('ElevenLabsStt', () => {
  it('has its options and key terms in the URL', () =>
    inVirtualTime(async (world) => {
      const server = new ElevenLabsScribeServer({ clock: world.clock })
      const stt = new ElevenLabsStt({
        apiKey,
        languages: ['en', 'es', 'fr'],
        endSilence: 700,
        startThreshold: 0.4,
        timestamps: true,
        extra: { no_verbatim: true },
      })
      const { context } = await listen(world, server, stt, { keyTerms, format: muLaw })
      expect([...server.sessions[0]!.query]).toEqual([
        ['model_id', 'scribe_v2_realtime'],
        ['audio_format', 'ulaw_8000'],
        ['commit_strategy', 'vad'],
        ['vad_silence_threshold_secs', '0.7'],
        ['vad_threshold', '0.4'],
        ['language_code', 'en'],
        ['secondary_languages', 'es'],
        ['secondary_languages', 'fr'],
        ['include_timestamps', 'true'],
        ['keyterms', 'Bright Dental'],
        ['keyterms', 'endwell'],
        ['no_verbatim', 'true'],
      ])
      expect(server.dials[0]?.headers).toEqual({ 'xi-api-key': apiKey })
      await context.scope.close()
    }))

  it('leaves out key terms for which the service would refuse the connection', () =>
    inVirtualTime(async (world) => {
      const server = new ElevenLabsScribeServer({ clock: world.clock })
      const many = Array.from({ length: 60 }, (_, index) => `term ${index}`)
      const { stream, context } = await listen(world, server, new ElevenLabsStt({ apiKey }), {
        keyTerms: ['a term of more than twenty characters', ...many],
      })
      expect(server.sessions[0]?.query.getAll('keyterms')).toEqual(many.slice(0, 50))
      // Other key terms wait for the next connection.
      stream.configure({ keyTerms })
      server.drop()
      await world.clock.elapse(2_000)
      expect(server.sessions[1]?.query.getAll('keyterms')).toEqual(keyTerms)
      await context.scope.close()
    }))

  it('sends audio in JSON, and ends a turn on flush', () =>
    inVirtualTime(async (world) => {
      const sent: unknown[] = []
      const server = new ElevenLabsScribeServer({ clock: world.clock })
      const serve: typeof server.serve = (request) => {
        const { message, ...manners } = server.serve(request)
        const record: typeof message = (peer, data) => {
          sent.push(JSON.parse(String(data)))
          message?.(peer, data)
        }
        return { ...manners, message: record }
      }
      const { stream, log, say, context } = await listen(world, { serve }, new ElevenLabsStt({ apiKey }))
      say('Yes yes.')
      stream.flush()
      await world.clock.elapse(10)
      expect(log.slice(-3)).toEqual(['interim Yes yes.', 'final Yes yes.', 'end of turn'])
      const audio = { message_type: 'input_audio_chunk', commit: false, sample_rate: 16_000 }
      expect(sent).toHaveLength(5)
      for (const each of sent.slice(0, 4)) {
        expect(each).toMatchObject(audio)
        expect(Buffer.from((each as { audio_base_64: string }).audio_base_64, 'base64')).toHaveLength(3_200)
      }
      expect(sent.at(-1)).toEqual({ ...audio, commit: true, audio_base_64: '' })
      await context.scope.close()
    }))

  it('reports words, language and confidence with timestamps', () =>
    inVirtualTime(async (world) => {
      const server = new ElevenLabsScribeServer({ clock: world.clock })
      const stt = new ElevenLabsStt({ apiKey, timestamps: true })
      const { say, quiet, details, log, context } = await listen(world, server, stt)
      say('Yes. No. ')
      quiet(1_000)
      await world.clock.elapse(10)
      expect(log.slice(-2)).toEqual(['final Yes. No.', 'end of turn'])
      expect(details).toHaveLength(1)
      expect(details[0]).toMatchObject({ language: 'en', words: [{ text: 'Yes.' }, { text: 'No.' }] })
      expect(details[0]?.confidence).toBeCloseTo(0.9)
      await context.scope.close()
    }))

  it('ignores transcripts without text, also while a turn waits for its end after a drop', () =>
    inVirtualTime(async (world) => {
      const server = new ElevenLabsScribeServer({ clock: world.clock })
      const { log, say, context } = await listen(world, server, new ElevenLabsStt({ apiKey }))
      const sendEmpty = (message_type: string): void =>
        server.open[0]!.connection.send(JSON.stringify({ message_type, text: ' ' }))
      for (const type of ['partial', 'final', 'committed']) sendEmpty(`${type}_transcript`)
      await world.clock.elapse(10)
      expect(log).toEqual([])
      say('Yes yes ')
      await world.clock.elapse(50)
      server.drop()
      await world.clock.elapse(1_000)
      sendEmpty('partial_transcript')
      await world.clock.elapse(5_000)
      expect(log.slice(-2)).toEqual(['final Yes yes', 'end of turn'])
      await context.scope.close()
    }))

  it.each(['the caller is silent', 'the call has just begun'])('closes at once when %s', (when) =>
    inVirtualTime(async (world) => {
      const server = new ElevenLabsScribeServer({ clock: world.clock })
      const { quiet, context, log } = await listen(world, server, new ElevenLabsStt({ apiKey }))
      if (when === 'the caller is silent') quiet(2_000)
      await world.clock.elapse(10)
      const { took } = await context.scope.close()
      expect(took).toBeLessThan(100)
      expect(log).toEqual([])
      expect(context.connections).toMatchObject([{ how: 'acknowledged' }])
    }),
  )

  it.each<[type: string, dials: number, log: string[]]>([
    ['auth_error', 1, ['failed LINK_FATAL  sorry']],
    ['quota_exceeded', 1, ['failed LINK_FATAL  sorry']],
    ['invalid_request', 1, ['failed LINK_FATAL  sorry']],
    ['session_time_limit_exceeded', 2, []],
    ['insufficient_audio_activity', 2, []],
    ['transcriber_error', 2, []],
    ['something_new', 2, []],
    ['commit_throttled', 1, []],
  ])('judges the error %s', (message_type, dials, expected) =>
    inVirtualTime(async (world) => {
      const server = new ElevenLabsScribeServer({ clock: world.clock })
      const { log, context } = await listen(world, server, new ElevenLabsStt({ apiKey }))
      server.open[0]!.connection.send(JSON.stringify({ message_type, error: 'sorry' }))
      await world.clock.elapse(2_000)
      expect(log).toEqual(expected)
      expect(world.network.dials).toBe(dials)
      await context.scope.close()
    }),
  )
})
