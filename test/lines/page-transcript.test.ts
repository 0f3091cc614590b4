import { describe, expect, it } from 'vitest'
import type { WebSocketLine } from '../../src/lines/websocket/index.ts'
import { limits } from '../../src/lines/websocket/limits.ts'
import {
  PageTranscript,
  type SendTranscript,
  type TranscribedSession,
} from '../../src/lines/websocket/page-transcript.ts'
import { emptyTranscript, nextTranscript } from '../../src/lines/websocket/client/transcript.ts'
import { Scope, noop } from '../../src/scope/index.ts'
import { Agent, History, Session } from '../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedStt,
  ScriptedTts,
  callTool,
  inVirtualTime,
  soundOf,
  type World,
} from '../../src/testing/index.ts'
import { MS_PER_CHARACTER, RATE, scene, type Scene } from './fixture.ts'
import type { TestPage } from './page.ts'

const GREETING = 'Bright Dental, good morning! How can I help you?'

interface Shown {
  /** The page that has called. */
  readonly first: TestPage
  readonly session: Session
  readonly stt: ScriptedStt
}

/** Plays a scene with one call whose page gets the transcript. */
function shown(play: (shown: Shown & Scene) => Promise<void>, realtime?: ScriptedRealtime): Promise<void> {
  const stt = new ScriptedStt({ endsTurns: true })
  let session: Session | undefined
  const onCall =
    ({ clock, random, network }: World) =>
    (line: WebSocketLine): Promise<void> => {
      const agent = new Agent({
        name: 'desk',
        instructions: '',
        onEnter: ({ session: own }) => own.say(GREETING),
      })
      const tts = new ScriptedTts({ msPerCharacter: MS_PER_CHARACTER })
      const llm = new ScriptedLlm({ answers: [[callTool('lookUp', { secret: 7 })], 'From eight to six.'] })
      const models = realtime ? { realtime } : { stt, llm, tts }
      session = new Session({ agent, models, line, clock, random, network })
      return session.start()
    }
  return scene(
    async (world) => {
      const { page: first } = await world.call()
      await world.clock.elapse(10)
      await play({ ...world, first, session: session!, stt })
      await session!.close()
    },
    (world) => ({ onCall: onCall(world), transcript: true }),
  )
}

const wordsOf = ({ transcript }: TestPage): string[] =>
  transcript.entries.map(({ by, text, interrupted }) => `${by}: ${text}${interrupted ? ' —' : ''}`)

describe('the transcript of a page', () => {
  it('[LN16] has the words of the agent once they were heard, and not before', () =>
    shown(async ({ first, clock, session }) => {
      const lengths: number[] = []
      while (lengths.at(-1) !== GREETING.length) {
        await clock.elapse(300)
        const [text = ''] = first.transcript.entries.map((entry) => entry.text)
        expect(GREETING.startsWith(text)).toBe(true)
        // At this pace, no more than this many characters can have been heard.
        expect(text.length).toBeLessThanOrEqual(clock.now() / MS_PER_CHARACTER)
        lengths.push(text.length)
      }
      expect(new Set(lengths).size).toBeGreaterThan(5)
      await clock.elapse(5_000)
      const messages = first.transcriptMessages
      await clock.elapse(60_000)
      expect(first.transcriptMessages).toBe(messages)
      expect(session.state).toBe('live')
    }))

  it('[LN16] shows what the caller is saying, and then the turn, and never what tools are given', () =>
    shown(async ({ first, clock, stt }) => {
      await clock.elapse(4_000)
      stt.interim('when do')
      await clock.elapse(200)
      expect(first.transcript.interim).toBe('when do')
      stt.final('When do you open,')
      stt.interim('on Mon')
      await clock.elapse(200)
      expect(first.transcript.interim).toBe('When do you open, on Mon')
      stt.final('on Monday?')
      stt.endOfTurn()
      await clock.elapse(3_000)
      expect(first.transcript.interim).toBe('')
      expect(wordsOf(first)).toEqual([
        `agent: ${GREETING}`,
        'caller: When do you open, on Monday?',
        'agent: From eight to six.',
      ])
    }))

  it('[LN16] marks words that were interrupted, and keeps what was heard of them', () =>
    shown(async ({ first, clock, session }) => {
      await clock.elapse(1_000)
      session.interrupt()
      await clock.elapse(500)
      const [entry] = first.transcript.entries
      expect(entry).toMatchObject({ by: 'agent', interrupted: true })
      expect(entry!.text).toMatch(/^Bright Dental, good\b/)
      expect(entry!.text.length).toBeLessThan(GREETING.length)
    }))

  it('[LN16] is sent as a whole to a page that was reloaded, and continued for one that was cut off', () =>
    shown(async ({ first, page: pages, clock, wires }) => {
      await clock.elapse(1_000)
      first.wire.send({ type: 'text', text: 'Hello?' })
      await clock.elapse(500)
      wires.broken = true
      wires.cut()
      await clock.elapse(1_000)
      wires.broken = false
      await clock.elapse(6_000)
      const words = wordsOf(first)
      expect(words).toHaveLength(3)
      const next = pages({ ticket: first.wire.ticket! })
      next.wire.connect()
      await clock.elapse(500)
      expect(wordsOf(next)).toEqual(words)
    }))

  it('[LN16] is complete when the session says goodbye', () =>
    shown(async ({ first, session, clock }) => {
      await clock.elapse(4_000)
      await session.hangUp({ say: 'Goodbye!' })
      await clock.elapse(100)
      expect(wordsOf(first).at(-1)).toBe('agent: Goodbye!')
      expect(first.ends).toEqual([{ reason: 'ended' }])
    }))

  it('[LN16] has the turns of a realtime model in the order in which they were said, although its text is late', () =>
    shown(
      async ({ first, clock }) => {
        await clock.elapse(4_000)
        const { samples } = soundOf('When do you open?', RATE, 20)
        first.says(Int16Array.from([...samples, ...new Int16Array(RATE / 2)]))
        await clock.elapse(1_500)
        expect(wordsOf(first).at(-1)).toMatch(/^agent: From/)
        await clock.elapse(3_000)
        expect(wordsOf(first).slice(-2)).toEqual(['caller: When do you open?', 'agent: From eight to six.'])
      },
      new ScriptedRealtime({ answers: [GREETING, 'From eight to six.'], finalAfter: 1_500 }),
    ))
})

/** A transcript of a history, and a page whose outcomes the test decides. */
function feed({ clock }: World) {
  const history = new History()
  const scope = new Scope('calls', { clock })
  const listeners = new Set<() => void>()
  const on = (name: string, listener: () => void): (() => void) => {
    if (name === 'user') listeners.add(listener)
    return noop
  }
  const state = {
    page: emptyTranscript,
    outcome: 'sent' as ReturnType<SendTranscript>,
    attempts: 0,
    whole: 0,
  }
  const transcript = new PageTranscript(
    { history, on } as unknown as TranscribedSession,
    scope,
    (message) => {
      state.attempts++
      if (state.outcome !== 'sent') return state.outcome
      if (message.from === 0) state.whole++
      state.page = nextTranscript(state.page, message)
      return 'sent'
    },
  )
  const say = (text: string): void => {
    history.addUser(text, { at: 0 })
    for (const listener of listeners) listener()
  }
  return { state, transcript, say, clock, scope }
}

describe('a transcript that is sent', () => {
  it('[LN16] loses its oldest entries, many at a time, if it is long', () =>
    inVirtualTime(async (world) => {
      const { state, transcript, say, clock, scope } = feed(world)
      for (let turn = 1; turn <= 450; turn++) {
        say(`turn ${turn}`)
        await clock.elapse(limits.transcriptEvery)
      }
      const { entries } = state.page
      expect(entries.at(-1)?.text).toBe('turn 450')
      expect(entries.length).toBeGreaterThanOrEqual(limits.transcriptEntries)
      expect(entries.length).toBeLessThanOrEqual(2 * limits.transcriptEntries)
      expect(state.whole).toBeLessThan(6)
      transcript.stop()
      await scope.close()
    }))

  it('[LN16] waits for a page that does not read, and not for one that is away', () =>
    inVirtualTime(async (world) => {
      const { state, transcript, say, clock, scope } = feed(world)
      state.outcome = 'wait'
      say('one')
      await clock.elapse(1_000)
      expect(state.attempts).toBeGreaterThan(3)
      state.outcome = 'sent'
      await clock.elapse(1_000)
      expect(state.page.entries).toHaveLength(1)
      state.outcome = 'away'
      say('two')
      const { attempts } = state
      await clock.elapse(60_000)
      expect(state.attempts).toBe(attempts)
      state.outcome = 'sent'
      transcript.joined()
      expect(state.page.entries).toHaveLength(2)
      transcript.stop()
      await scope.close()
    }))
})
