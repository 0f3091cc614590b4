import { describe, expect, it } from 'vitest'
import type { Line } from '../../src/parts/index.ts'
import { limits as shared } from '../../src/lines/limits.ts'
import { limits } from '../../src/lines/websocket/limits.ts'
import { Agent, Session } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts, partContext, soundOf, type World } from '../../src/testing/index.ts'
import { MS_PER_CHARACTER, RATE, scene, wordsFrom } from './fixture.ts'

const WORDS = 'Bright Dental, good morning! How can I help you?'
const WHOLE = WORDS.length * MS_PER_CHARACTER

function sessionOn(line: Line, { clock, random, network }: World): Session {
  return new Session({
    agent: new Agent({ name: 'desk', instructions: '', onEnter: ({ session }) => session.say(WORDS) }),
    models: { llm: new ScriptedLlm(), tts: new ScriptedTts({ msPerCharacter: MS_PER_CHARACTER }) },
    line,
    clock,
    random,
    network,
  })
}

describe('the end of a call from a page', () => {
  it('[LN1] is a hang-up, at once and after the pending marks, if the page hangs up', () =>
    scene(async ({ clock, call: calls }) => {
      const { page, call } = await calls()
      call.say(WORDS, 1)
      await clock.elapse(1_000)
      page.wire.hangUp()
      await clock.elapse(2)
      expect(call.emitted).toEqual([expect.stringMatching(/^marked 1 \d+$/), 'hung up'])
      expect(page.ends).toEqual([{ reason: 'hung-up' }])
    }))

  it('[LN1] is a loss after rejoinTimeout, if the page is cut off: nothing counts as heard after the cut', () =>
    scene(
      async ({ clock, call: calls, wires }) => {
        const { page, call } = await calls()
        call.say(WORDS, 1)
        await clock.elapse(1_000)
        page.stop()
        wires.broken = true
        wires.cut()
        await clock.elapse(2_990)
        expect(call.emitted).toEqual([])
        await clock.elapse(20)
        const [marked = '', lost] = call.emitted
        expect(lost).toBe('lost')
        const heard = Number(marked.split(' ')[2])
        expect(heard).toBeGreaterThan(700)
        expect(heard).toBeLessThanOrEqual(1_000)
        await call.context.scope.close()
        expect(call.context.connections).toMatchObject([{ name: 'browser', how: 'dropped', retries: 0 }])
        expect(page.ends).toEqual([{ reason: 'lost' }])
      },
      { rejoinTimeout: 3_000 },
    ))

  it.each([
    ['closes', 'requested', 'closed'],
    ['is hung up', 'caller-hung-up', 'closed'],
    ['is lost', 'caller-lost', 'dropped'],
  ] as const)('[LN1] comes together with the end of its session, which %s', async (what, reason, how) => {
    const sessions: Session[] = []
    await scene(
      async ({ clock, page: pages, wires }) => {
        const page = pages()
        page.wire.connect()
        await page.until(() => page.heard.length > 10)
        const [session] = sessions
        if (what === 'closes') await session!.close()
        if (what === 'is hung up') page.wire.hangUp()
        if (what === 'is lost') wires.vanish()
        await clock.elapse(16_000)
        expect(session!.state).toBe('closed')
        const report = await session!.close()
        expect(report.reason).toBe(reason)
        expect(report.connections.find(({ name }) => name === 'browser')).toMatchObject({ how })
        if (what === 'closes') expect(page.ends).toEqual([{ reason: 'ended' }])
        if (what !== 'is lost') expect(report.clean).toBe(true)
      },
      (world) => ({
        onCall: (line) => {
          const session = sessionOn(line, world)
          sessions.push(session)
          return session.start()
        },
      }),
    )
  })

  it('[LN2] is a loss after lostTimeout, and not before, if the page gives no sign of life', () =>
    scene(
      async ({ clock, call: calls, wires }) => {
        const { call } = await calls()
        await clock.elapse(20_000)
        expect(call.emitted).toEqual([])
        wires.vanish()
        await clock.elapse(2_990)
        expect(call.emitted).toEqual([])
        await clock.elapse(1_010)
        expect(call.emitted).toEqual(['lost'])
      },
      { lostTimeout: 4_000 },
    ))

  it('[LN2] does not come for a page that only listens, since it answers pings', () =>
    scene(async ({ clock, call: calls }) => {
      const { call } = await calls({ sound: false })
      await clock.elapse(10 * 60_000)
      expect(call.emitted).toEqual([])
    }))

  it('[LN2] does not come because this process was suspended', () =>
    scene(async ({ clock, call: calls }) => {
      const { call } = await calls()
      await clock.elapse(1_000)
      clock.jump(60_000)
      await clock.elapse(20_000)
      expect(call.emitted).toEqual([])
    }))
})

describe('the sound of a call', () => {
  it('[LN3] is confirmed by the page, mark by mark, also if it was cleared', () =>
    scene(async ({ clock, call: calls }) => {
      const { page, call } = await calls()
      call.say(WORDS, 1)
      call.say('Hello?', 2)
      await clock.elapse(WHOLE + 500)
      call.say(WORDS, 3)
      await clock.elapse(560)
      call.connection.clear()
      call.connection.mark(4)
      await clock.elapse(100)
      const third = Number(call.emitted[2]?.split(' ')[2])
      expect(call.emitted).toEqual([`marked 1 ${WHOLE}`, 'marked 2 300', `marked 3 ${third}`, 'marked 4 0'])
      expect(third).toBeGreaterThan(480)
      expect(third).toBeLessThanOrEqual(570)
      expect(wordsFrom(page)).toBe(`${WORDS}Hello?${WORDS.slice(0, Math.floor(third / MS_PER_CHARACTER))}`)
    }))

  it('[LN3] does not count as heard while the page cannot play it', () =>
    scene(async ({ clock, call: calls }) => {
      const { page, call } = await calls({ sound: false })
      call.say(WORDS, 1)
      await clock.elapse(WHOLE / 2)
      // The user clicks: from now on sound is heard, and not what was said before.
      page.setAudible(true)
      await clock.elapse(WHOLE)
      expect(WORDS.endsWith(wordsFrom(page).slice(1))).toBe(true)
      const [marked = ''] = call.emitted
      const heard = Number(marked.split(' ')[2])
      expect(heard).toBeGreaterThan(WHOLE / 2 - 150)
      expect(heard).toBeLessThanOrEqual(WHOLE / 2)
    }))

  it('[LN3] counts as heard but unconfirmed for the session, if the page cannot play it', async () => {
    const outcomes: unknown[] = []
    await scene(
      async ({ clock, page: pages }) => {
        pages({ sound: false }).wire.connect()
        await clock.elapse(WHOLE + 3_000)
        expect(outcomes).toMatchObject([{ how: 'played', confirmed: false, heard: WORDS }])
      },
      (world) => ({
        onCall: async (line) => {
          const session = sessionOn(line, world)
          session.on('spoken', ({ outcome }) => outcomes.push(outcome))
          await session.start()
        },
      }),
    )
  })

  it('is sent only a little ahead, however much there is, so that a clear acts at once', () =>
    scene(async ({ clock, call: calls, wires }) => {
      const { page, call } = await calls()
      call.connection.play(soundOf('x'.repeat(600), RATE, MS_PER_CHARACTER))
      await clock.elapse(5)
      const ahead = (limits.ahead * RATE) / 1000
      expect(wires.received).toBeGreaterThan(ahead * 2)
      expect(wires.received).toBeLessThan(ahead * 2 + 20_000)
      await clock.elapse(10_000)
      expect(wires.received).toBeLessThan((10 * RATE + ahead) * 2 * 1.05)
      call.connection.clear()
      call.connection.mark(1)
      const cleared = clock.now()
      await clock.elapse(1_000)
      expect(page.audibleAfter(cleared + 2)).toBe(0)
      expect(call.emitted).toHaveLength(1)
    }))

  it('[LN7] waits for a page that does not keep up, so that its socket buffers little', () =>
    scene(async ({ clock, call: calls, wires }) => {
      const { page, call } = await calls()
      wires.pause()
      call.connection.play(soundOf('x'.repeat(22), RATE, MS_PER_CHARACTER))
      await clock.elapse(5)
      const { held } = wires
      expect(held).toBeGreaterThan(shared.congested)
      call.connection.play(soundOf('x'.repeat(600), RATE, MS_PER_CHARACTER))
      await clock.elapse(2_000)
      expect(wires.held).toBe(held)
      wires.resume()
      await clock.elapse(2_000)
      expect(page.heard.length).toBeGreaterThan(100)
    }))
})

describe('calls from pages', () => {
  it.each([
    ['rejects', () => Promise.reject(new Error('no models')), 10],
    [
      'throws',
      () => {
        throw new Error('no agent')
      },
      10,
    ],
    ['never opens the line', () => {}, 1_100],
  ])('are ended if onCall %s', async (_, onCall, after) => {
    await scene(
      async ({ clock, page: pages, calls }) => {
        const page = pages()
        page.wire.connect()
        await clock.elapse(after)
        expect(page.ends).toEqual([{ reason: 'unanswered' }])
        expect(calls.size).toBe(0)
      },
      { onCall, answerTimeout: 1_000 },
    )
  })

  it('cannot be answered after the caller has left, and cannot be answered twice', () =>
    scene(
      async ({ clock, page: pages, ...world }) => {
        const page = pages()
        page.wire.connect()
        await clock.elapse(5)
        page.wire.hangUp()
        await clock.elapse(5)
        const events = {
          frame() {},
          marked() {},
          dtmf() {},
          text() {},
          hungUp() {},
          lost() {},
          handedOver() {},
        }
        const context = partContext({ ...world, clock })
        await expect(lines[0]!.open(context, events)).rejects.toMatchObject({ code: 'CALLER_GONE' })
        const other = pages()
        other.wire.connect()
        await clock.elapse(5)
        await lines[1]!.open(context, events)
        await expect(lines[1]!.open(context, events)).rejects.toMatchObject({ code: 'LINE_TAKEN' })
        await context.scope.close()
      },
      { onCall: (line) => lines.push(line) },
    ))
  const lines: Line[] = []

  it('end with the scope that owns them, and their sessions get the error', () =>
    scene(async ({ clock, call: calls, scope }) => {
      const { page, call } = await calls()
      const report = await scope.close()
      expect(report.clean).toBe(true)
      await clock.elapse(5)
      expect(page.ends).toEqual([{ reason: 'closing' }])
      expect(call.emitted).toEqual(['lost CALLS_CLOSED'])
    }))

  it('[LN7] are cut if the page sends unknown messages, or too many', () =>
    scene(async ({ clock, call: calls }) => {
      const one = await calls()
      one.page.wire.send({ type: 'dtmf', digit: 'Z' })
      const two = await calls()
      for (let i = 0; i < 2 * limits.messages.burst; i++) two.page.wire.send({ type: 'pong' })
      await clock.elapse(10)
      for (const { page, call } of [one, two]) {
        expect(call.emitted).toEqual(['lost PAGE_MISBEHAVED'])
        expect(page.ends).toEqual([{ reason: 'refused', code: 'PAGE_MISBEHAVED' }])
      }
    }))
})
