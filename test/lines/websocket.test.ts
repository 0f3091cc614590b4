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

describe('who hangs up, and who is lost', () => {
  it('[LN1] a hang-up is told at once, after what was heard', () =>
    scene(async ({ clock, call: calls }) => {
      const { page, call } = await calls()
      call.say(WORDS, 1)
      await clock.elapse(1_000)
      page.wire.hangUp()
      await clock.elapse(2)
      expect(call.told).toEqual([expect.stringMatching(/^marked 1 \d+$/), 'hung up'])
      expect(page.ends).toEqual([{ reason: 'hung-up' }])
    }))

  it('[LN1] a bare disconnect waits rejoinTimeout, and assumes that nothing was heard after it', () =>
    scene(
      async ({ clock, call: calls, wires }) => {
        const { page, call } = await calls()
        call.say(WORDS, 1)
        await clock.elapse(1_000)
        page.stop()
        wires.broken = true
        wires.cut()
        await clock.elapse(2_990)
        expect(call.told).toEqual([])
        await clock.elapse(20)
        const [marked = '', lost] = call.told
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
  ] as const)('[LN1] a session that %s ends together with its line', async (what, reason, how) => {
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

  it('[LN2] a page that gives no sign of life is lost after lostTimeout, not before', () =>
    scene(
      async ({ clock, call: calls, wires }) => {
        const { call } = await calls()
        await clock.elapse(20_000)
        expect(call.told).toEqual([])
        wires.vanish()
        await clock.elapse(2_990)
        expect(call.told).toEqual([])
        await clock.elapse(1_010)
        expect(call.told).toEqual(['lost'])
      },
      { lostTimeout: 4_000 },
    ))

  it('[LN2] a page that only reads is not lost: it answers when it is asked', () =>
    scene(async ({ clock, call: calls }) => {
      const { call } = await calls({ sound: false })
      await clock.elapse(10 * 60_000)
      expect(call.told).toEqual([])
    }))

  it('[LN2] no page is lost because this process slept', () =>
    scene(async ({ clock, call: calls }) => {
      const { call } = await calls()
      await clock.elapse(1_000)
      clock.jump(60_000)
      await clock.elapse(20_000)
      expect(call.told).toEqual([])
    }))
})

describe('what was heard', () => {
  it('[LN3] is known from the page, mark by mark, also of what was cleared', () =>
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
      const third = Number(call.told[2]?.split(' ')[2])
      expect(call.told).toEqual([`marked 1 ${WHOLE}`, 'marked 2 300', `marked 3 ${third}`, 'marked 4 0'])
      expect(third).toBeGreaterThan(480)
      expect(third).toBeLessThanOrEqual(570)
      expect(wordsFrom(page)).toBe(`${WORDS}Hello?${WORDS.slice(0, Math.floor(third / MS_PER_CHARACTER))}`)
    }))

  it('[LN3] is not claimed of a page whose sound does not come out', () =>
    scene(async ({ clock, call: calls }) => {
      const { page, call } = await calls({ sound: false })
      call.say(WORDS, 1)
      await clock.elapse(WHOLE / 2)
      // Somebody clicks: what is said now is heard, and not what was said then.
      page.soundIs(true)
      await clock.elapse(WHOLE)
      expect(WORDS.endsWith(wordsFrom(page).slice(1))).toBe(true)
      const [marked = ''] = call.told
      const heard = Number(marked.split(' ')[2])
      expect(heard).toBeGreaterThan(WHOLE / 2 - 150)
      expect(heard).toBeLessThanOrEqual(WHOLE / 2)
    }))

  it('[LN3] is assumed by a session whose page makes no sound, and it says so', async () => {
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

  it('is sent only a little ahead, however much there is, and a clear waits for nothing', () =>
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
      expect(call.told).toHaveLength(1)
    }))

  it('waits for a page that does not keep up, and keeps no more than a socket may hold', () =>
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

describe('coming back', () => {
  it('[LN4] a page that was cut off goes on where it was: nothing is missing, nothing is said twice', () =>
    scene(async ({ clock, call: calls, wires }) => {
      const { page, call } = await calls()
      call.say(WORDS, 1)
      await clock.elapse(700)
      wires.broken = true
      wires.cut()
      await clock.elapse(3_000)
      expect(page.wire.ticket?.generation).toBe(1)
      wires.broken = false
      await clock.elapse(WHOLE)
      expect(wordsFrom(page)).toBe(WORDS)
      expect(call.told).toEqual([`marked 1 ${WHOLE}`])
      expect(page.wire.ticket?.generation).toBe(2)
      const { call: name } = page.wire.ticket!
      await call.context.scope.close()
      expect(call.context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
      // There is no way back, and one can still say which call it was.
      expect([page.wire.ticket, page.wire.call]).toEqual([undefined, name])
    }))

  it('[LN4] a page that is loaded anew hears what it is not known to have heard', () =>
    scene(async ({ clock, call: calls, wires, page: pages }) => {
      const { page, call } = await calls()
      call.say(WORDS, 1)
      await clock.elapse(1_500)
      const { ticket } = page.wire
      page.freezes()
      wires.vanish({ forGood: false })
      const next = pages({ ticket: ticket! })
      next.wire.connect()
      await clock.elapse(WHOLE)
      expect(call.told).toEqual([`marked 1 ${WHOLE}`])
      expect(WORDS.endsWith(wordsFrom(next).slice(1))).toBe(true)
    }))

  it('[LN4] what was cleared while the page was away is not heard by it', () =>
    scene(async ({ clock, call: calls, wires }) => {
      const { page, call } = await calls()
      call.say(WORDS, 1)
      await clock.elapse(500)
      wires.broken = true
      wires.cut()
      page.stop()
      await clock.elapse(100)
      call.connection.clear()
      call.say('Yes?', 2)
      wires.broken = false
      await clock.elapse(3_000)
      expect(call.told).toEqual([expect.stringMatching(/^marked 1 (4\d\d|500)$/), 'marked 2 200'])
      expect(wordsFrom(page)).toMatch(/^Bright.*Yes\?$/)
      expect(wordsFrom(page).length).toBeLessThan(20)
    }))

  it('[LN4] a mark whose answer was lost in the cut is answered again, and truly', () =>
    scene(async ({ clock, call: calls, wires }) => {
      const { call } = await calls()
      call.say('Yes?', 1)
      await clock.elapse(200)
      wires.deafen()
      await clock.elapse(200)
      wires.cut()
      await clock.elapse(1_000)
      expect(call.told).toEqual(['marked 1 200'])
    }))

  it('[LN4] the generation fences a page that was replaced: it is not heard, not let in, and does not fight', () =>
    scene(async ({ clock, call: calls, wires, page: pages }) => {
      const { page, call } = await calls()
      const ticket = page.wire.ticket!
      const other = pages({ ticket })
      other.wire.connect()
      await clock.elapse(2)
      page.wire.send({ type: 'text', text: 'I am still here' })
      page.says(100)
      await clock.elapse(1_000)
      expect(page.ends).toEqual([{ reason: 'replaced' }])
      expect(call.told).toEqual([])
      expect(call.frames).toEqual([])

      const { dials } = wires
      const late = pages({ ticket })
      late.wire.connect()
      await clock.elapse(1_000)
      expect(late.ends).toEqual([{ reason: 'replaced' }])
      expect(wires.dials).toBe(dials + 1)
      other.wire.send({ type: 'text', text: 'It is me' })
      await clock.elapse(10)
      expect(call.told).toEqual(['text It is me'])
    }))

  it('[LN4] nothing that a page said before it knew that it was replaced is heard after it was', () =>
    scene(async ({ clock, call: calls, wires, page: pages }) => {
      wires.manners = { latency: 50, closeReply: 'never' }
      const { page, call } = await calls()
      await clock.elapse(200)
      page.wire.send({ type: 'text', text: 'on its way' })
      wires.manners = {}
      pages({ ticket: page.wire.ticket! }).wire.connect()
      await clock.elapse(500)
      expect(call.told).toEqual([])
    }))

  it('[LN4] a page that is cut off again before it could say that it is back can still come back', () =>
    scene(async ({ clock, call: calls, wires }) => {
      const { page, call } = await calls()
      wires.manners = { dropAfter: 1 }
      wires.cut()
      await clock.elapse(2_000)
      expect(page.over).toBe(false)
      wires.manners = {}
      await clock.elapse(2_000)
      page.wire.send({ type: 'text', text: 'here I am' })
      await clock.elapse(10)
      expect(call.told).toEqual(['text here I am'])
    }))

  it('[LN4] nobody comes back with a wrong key, or to a call that is over', () =>
    scene(async ({ clock, call: calls, page: pages, answered }) => {
      const { page, call } = await calls()
      const ticket = page.wire.ticket!
      const stranger = pages({ ticket: { ...ticket, key: 'guess' } })
      stranger.wire.connect()
      await call.context.scope.close()
      const late = pages({ ticket })
      late.wire.connect()
      await clock.elapse(5)
      for (const { ends } of [stranger, late])
        expect(ends).toEqual([{ reason: 'refused', code: 'CALL_GONE' }])
      expect(answered).toHaveLength(1)
    }))

  it('a page that has hung up never dials again, whatever it was doing', () =>
    scene(async ({ clock, call: calls, wires, page: pages }) => {
      const { page } = await calls()
      wires.broken = true
      wires.cut()
      await clock.elapse(400)
      page.wire.hangUp()
      const dialling = pages()
      dialling.wire.connect()
      dialling.wire.hangUp()
      const { dials } = wires
      wires.broken = false
      await clock.elapse(60_000)
      expect(wires.dials).toBe(dials)
      expect([...page.ends, ...dialling.ends]).toEqual([{ reason: 'hung-up' }, { reason: 'hung-up' }])
    }))

  it('a page that has hung up once has hung up, and cannot be connected after it', () =>
    scene(async ({ clock, call: calls, wires, page: pages }) => {
      const { page } = await calls()
      page.wire.hangUp()
      page.wire.hangUp()
      page.wire.connect()
      const idle = pages()
      idle.wire.hangUp()
      idle.wire.connect()
      await clock.elapse(60_000)
      expect(wires.dials).toBe(1)
      expect([...page.ends, ...idle.ends]).toEqual([{ reason: 'hung-up' }, { reason: 'hung-up' }])
    }))

  it('a page does not wait for ever for a server that takes the connection and says nothing', () =>
    scene(async ({ clock, wires, page: pages }) => {
      wires.manners = { connect: 'never' }
      const page = pages()
      page.wire.connect()
      await clock.elapse(10_100)
      expect(page.ends).toEqual([{ reason: 'lost' }])
    }))

  it('a page tries again with growing patience, and gives up when the call cannot be there any more', () =>
    scene(async ({ clock, call: calls, wires }) => {
      const { page } = await calls()
      wires.broken = true
      wires.cut()
      await clock.elapse(5_100)
      expect(page.ends).toEqual([{ reason: 'lost' }])
      expect(wires.dials).toBeGreaterThan(4)
      expect(wires.dials).toBeLessThan(12)
    }))
})

describe('calls', () => {
  it.each([
    ['is refused', () => Promise.reject(new Error('no models')), 10],
    [
      'throws',
      () => {
        throw new Error('no agent')
      },
      10,
    ],
    ['never comes', () => {}, 1_100],
  ])('whose answer %s are ended', async (_, onCall, after) => {
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

  it('whose caller has gone cannot be answered, and one cannot be answered twice', () =>
    scene(
      async ({ clock, page: pages, ...world }) => {
        const page = pages()
        page.wire.connect()
        await clock.elapse(5)
        page.wire.hangUp()
        await clock.elapse(5)
        const events = { frame() {}, marked() {}, dtmf() {}, text() {}, hungUp() {}, lost() {} }
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

  it('end with the scope that owns them, and their sessions are told', () =>
    scene(async ({ clock, call: calls, scope }) => {
      const { page, call } = await calls()
      const report = await scope.close()
      expect(report.clean).toBe(true)
      await clock.elapse(5)
      expect(page.ends).toEqual([{ reason: 'closing' }])
      expect(call.told).toEqual(['lost CALLS_CLOSED'])
    }))

  it('of pages that send nonsense, or far too much, are cut', () =>
    scene(async ({ clock, call: calls }) => {
      const one = await calls()
      one.page.wire.send({ type: 'dtmf', digit: 'Z' })
      const two = await calls()
      for (let i = 0; i < 2 * limits.messages.burst; i++) two.page.wire.send({ type: 'pong' })
      await clock.elapse(10)
      for (const { page, call } of [one, two]) {
        expect(call.told).toEqual(['lost PAGE_MISBEHAVED'])
        expect(page.ends).toEqual([{ reason: 'refused', code: 'PAGE_MISBEHAVED' }])
      }
    }))
})
