import { describe, expect, it } from 'vitest'
import type { SessionReport } from '../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../src/testing/index.ts'
import { tool } from '../../src/session/index.ts'
import { routeOf, linkTo } from '../../studio/src/route.ts'
import { ageText, agoText, clockText, medianOf } from '../../studio/src/texts.ts'
import { verdictOf } from '../../studio/src/verdict.ts'
import { aCall, type CallOptions } from '../session/fixture.ts'

const ended = async (
  world: World,
  options: CallOptions = {},
  end: (call: ReturnType<typeof aCall>) => void | Promise<void> = () => {},
): Promise<SessionReport> => {
  const call = aCall(world, options)
  await call.session.start()
  await end(call)
  return call.session.close()
}

describe('how a session ended, in a sentence', () => {
  it('says that all is well', () =>
    inVirtualTime(async (world) => {
      const report = await ended(world, {}, ({ caller }) => caller.hangsUp())
      expect(verdictOf(report)).toEqual({
        clean: true,
        reason: 'The caller hung up.',
        sentence: 'Ended well, in 0 ms of the 5 s it had. Nothing is left.',
        others: [],
      })
    }))

  it('names the tool that ignored its signal, and then the rest', () =>
    inVirtualTime(async (world) => {
      const tools = { book: tool({ description: 'Books', run: () => new Promise(() => {}) }) }
      const options = { agent: { tools }, answers: [[callTool('book')]] }
      const report = await ended(world, options, async ({ caller, faults, clock }) => {
        faults.set('close:stt', 'hang')
        caller.types('Book!')
        await clock.elapse(100)
      })
      const { clean, sentence, others, reason } = verdictOf(report)
      expect([clean, reason]).toEqual([false, 'It was asked to close.'])
      expect(sentence).toMatch(
        /^book did not stop when it was asked, and was given up after 4\.\d+ s\. It may still/,
      )
      expect(others).toEqual([expect.stringMatching(/^stt did not close in time, and was cut off after/)])
    }))

  it('quotes what was thrown', () =>
    inVirtualTime(async (world) => {
      const report = await ended(world, {}, ({ faults }) => void faults.set('close:tts', 'throw'))
      expect(verdictOf(report).sentence).toBe('tts failed after 0 ms: FaultError: injected fault: close:tts.')
    }))

  it('says why it could not start, in the words of the error, with one stop', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, {})
      call.faults.set('open:stt', 'throw')
      await expect(call.session.start()).rejects.toThrow()
      const report = await call.session.close()
      expect(verdictOf(report)).toMatchObject({
        reason: 'It could not start.',
        sentence: expect.stringMatching(
          /^FaultError: injected fault: open:stt\. Everything else was ended in/,
        ),
      })
      const error = { name: 'LinkError', message: 'Check the network.' }
      expect(verdictOf({ ...report, error }).sentence).toMatch(/^LinkError: Check the network\. Everything/)
    }))

  it('does not call a lost caller a clean end', () =>
    inVirtualTime(async (world) => {
      const report = await ended(world, {}, ({ caller }) => caller.vanishes())
      expect(verdictOf(report)).toMatchObject({
        clean: false,
        reason: 'The caller vanished.',
        sentence: 'The connection of line was lost.',
      })
    }))
})

describe('addresses', () => {
  it.each([
    ['', { view: 'call' }],
    ['#/', { view: 'call' }],
    ['#/nonsense', { view: 'call' }],
    ['#/sessions', { view: 'sessions' }],
    ['#/sessions/abc', { view: 'session', id: 'abc' }],
    [linkTo('a/b c'), { view: 'session', id: 'a/b c' }],
    ['#/sessions/%', { view: 'session', id: '%' }],
  ])('%s leads to its view', (hash, route) => {
    expect(routeOf(hash)).toEqual(route)
  })
})

describe('times', () => {
  it('are written as people read them', () => {
    expect([0, 7_900, 760_000, 3_723_000].map(clockText)).toEqual(['0:00', '0:07', '12:40', '1:02:03'])
    expect([0, 99_000, 100_000, 7_200_000].map(ageText)).toEqual(['0 s', '99 s', '1 min', '2 h'])
    expect([0, 20_000, 120_000].map((ago) => agoText(1_000_000 - ago, 1_000_000))).toEqual([
      'just now',
      '20 s ago',
      '2 min ago',
    ])
    expect([medianOf([]), medianOf([3]), medianOf([9, 1, 5, 2])]).toEqual([undefined, 3, 2])
  })
})
