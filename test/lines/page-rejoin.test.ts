import { describe, expect, it, vi } from 'vitest'
import { MS_PER_CHARACTER, scene, wordsFrom } from './fixture.ts'

const WORDS = 'Bright Dental, good morning! How can I help you?'
const WHOLE = WORDS.length * MS_PER_CHARACTER

describe('a page that rejoins', () => {
  it('[LN4] continues where it was cut off: nothing is missing, and nothing is said twice', () =>
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
      expect(call.emitted).toEqual([`marked 1 ${WHOLE}`])
      expect(page.wire.ticket?.generation).toBe(2)
      const { call: name } = page.wire.ticket!
      await call.context.scope.close()
      expect(call.context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
      // There is no ticket any more, but the name of the call is still known.
      expect([page.wire.ticket, page.wire.call]).toEqual([undefined, name])
    }))

  it('[LN4] after a reload hears everything that it is not known to have heard', () =>
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
      expect(call.emitted).toEqual([`marked 1 ${WHOLE}`])
      expect(WORDS.endsWith(wordsFrom(next).slice(1))).toBe(true)
    }))

  it('[LN4] after a reload hears what is said next, also if it had heard everything before', () =>
    scene(async ({ clock, call: calls, page: pages }) => {
      const { page, call } = await calls()
      call.say('Yes?', 1)
      await clock.elapse(1_000)
      const next = pages({ ticket: page.wire.ticket! })
      next.wire.connect()
      await clock.elapse(100)
      call.say('Go on.', 2)
      await clock.elapse(1_000)
      expect([wordsFrom(page), wordsFrom(next)]).toEqual(['Yes?', 'Go on.'])
      expect(call.emitted).toEqual(['marked 1 200', 'marked 2 300'])
    }))

  it('[LN4] hears what is said in another process, if the one that had its call is gone', () =>
    scene(async ({ clock, calls, call: dial, wires, answered }) => {
      const { page, call } = await dial()
      call.say('Yes?', 1)
      await clock.elapse(1_000)
      wires.broken = true
      wires.cut()
      // As if the process had been killed: the page does not learn that its call is gone.
      await call.context.scope.close()
      const admit = calls.admit.bind(calls)
      vi.spyOn(calls, 'admit').mockImplementation((request) => admit(request, true))
      wires.broken = false
      await clock.elapse(3_000)
      const other = answered.at(-1)!
      other.say('Go on.', 1)
      await clock.elapse(1_000)
      expect(wordsFrom(page)).toBe('Yes?Go on.')
      expect(other.emitted).toEqual(['marked 1 300'])
    }))

  it('[LN4] does not hear what was cleared while it was away', () =>
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
      expect(call.emitted).toEqual([expect.stringMatching(/^marked 1 (4\d\d|500)$/), 'marked 2 200'])
      expect(wordsFrom(page)).toMatch(/^Bright.*Yes\?$/)
      expect(wordsFrom(page).length).toBeLessThan(20)
    }))

  it('[LN4] returns a mark again, with the same value, if the answer was lost in the cut', () =>
    scene(async ({ clock, call: calls, wires }) => {
      const { call } = await calls()
      call.say('Yes?', 1)
      await clock.elapse(200)
      wires.deafen()
      await clock.elapse(200)
      wires.cut()
      await clock.elapse(1_000)
      expect(call.emitted).toEqual(['marked 1 200'])
    }))

  it('[LN4] fences the page that it replaces: that one is not heard, not let in, and does not retry', () =>
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
      expect(call.emitted).toEqual([])
      expect(call.frames).toEqual([])

      const { dials } = wires
      const late = pages({ ticket })
      late.wire.connect()
      await clock.elapse(1_000)
      expect(late.ends).toEqual([{ reason: 'replaced' }])
      expect(wires.dials).toBe(dials + 1)
      other.wire.send({ type: 'text', text: 'It is me' })
      await clock.elapse(10)
      expect(call.emitted).toEqual(['text It is me'])
    }))

  it('[LN4] fences messages of the replaced page that were still on their way', () =>
    scene(async ({ clock, call: calls, wires, page: pages }) => {
      wires.manners = { latency: 50, closeReply: 'never' }
      const { page, call } = await calls()
      await clock.elapse(200)
      page.wire.send({ type: 'text', text: 'on its way' })
      wires.manners = {}
      pages({ ticket: page.wire.ticket! }).wire.connect()
      await clock.elapse(500)
      expect(call.emitted).toEqual([])
    }))

  it('[LN4] can rejoin again if it is cut off before it acknowledged the hello', () =>
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
      expect(call.emitted).toEqual(['text here I am'])
    }))

  it('[LN4] [LN13] cannot join with a wrong key or after the end of the call: it is told that the call has ended', () =>
    scene(async ({ clock, call: calls, page: pages, answered }) => {
      const { page, call } = await calls()
      const ticket = page.wire.ticket!
      const stranger = pages({ ticket: { ...ticket, key: 'guess' } })
      stranger.wire.connect()
      await call.context.scope.close()
      const late = pages({ ticket })
      late.wire.connect()
      await clock.elapse(5)
      for (const { ends } of [stranger, late]) expect(ends).toEqual([{ reason: 'ended', code: 'CALL_GONE' }])
      expect(answered).toHaveLength(1)
    }))
})

describe('the client of a page', () => {
  it('never dials again after a hang-up, whatever it was doing', () =>
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

  it('ignores a second hang-up, and connect after a hang-up', () =>
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

  it('gives up on a server that accepts the connection and stays silent', () =>
    scene(async ({ clock, wires, page: pages }) => {
      wires.manners = { connect: 'never' }
      const page = pages()
      page.wire.connect()
      await clock.elapse(10_100)
      expect(page.ends).toEqual([{ reason: 'lost' }])
    }))

  it('retries with growing delays, and gives up when rejoinTimeout has passed', () =>
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
