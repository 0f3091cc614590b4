import { describe, expect, it } from 'vitest'
import { tool, type SessionReport } from '../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../src/testing/index.ts'
import { verdictOf } from '../../studio/src/ended/verdict.ts'
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

describe('the verdict on a session', () => {
  it('gives the close time and the deadline of a clean close', () =>
    inVirtualTime(async (world) => {
      const report = await ended(world, {}, ({ caller }) => caller.hangsUp())
      expect(verdictOf(report)).toEqual({
        clean: true,
        ended: { text: 'hung up', tone: 'plain' },
        reason: 'The caller hung up.',
        sentence: 'Closed cleanly in 0 ms (deadline 5 s). Nothing left open.',
        others: [],
      })
    }))

  it('names the tool that ignored its signal first, and then the others', () =>
    inVirtualTime(async (world) => {
      const tools = { book: tool({ description: 'Books', run: () => new Promise(() => {}) }) }
      const options = { agent: { tools }, answers: [[callTool('book')]] }
      const report = await ended(world, options, async ({ caller, faults, clock }) => {
        faults.set('close:stt', 'hang')
        caller.types('Book!')
        await clock.elapse(100)
      })
      const { clean, sentence, others, reason } = verdictOf(report)
      expect([clean, reason]).toEqual([false, 'The call was ended on request.'])
      expect(sentence).toMatch(
        /^The tool book did not stop when it was asked, and was abandoned after 4\.\d+ s\. It may still/,
      )
      expect(others).toEqual([expect.stringMatching(/^The STT did not close in time, and was cut off after/)])
    }))

  it('names tools that failed although the call is clean, and says how often', () =>
    inVirtualTime(async (world) => {
      const fails = (): never => {
        throw new Error('no connection')
      }
      const tools = { find: tool({ description: 'Finds', run: fails, duplicates: 'run' }) }
      const options = { agent: { tools }, answers: [[callTool('find'), callTool('find')], 'I am sorry.'] }
      const report = await ended(world, options, async ({ caller, clock }) => {
        caller.types('Find it!')
        await clock.elapse(3_000)
      })
      expect(verdictOf(report)).toMatchObject({
        clean: true,
        others: ['The tool find failed: no connection (2 times).'],
      })
    }))

  it('quotes an error thrown by a close', () =>
    inVirtualTime(async (world) => {
      const report = await ended(world, {}, ({ faults }) => void faults.set('close:tts', 'throw'))
      expect(verdictOf(report).sentence).toBe(
        'The TTS failed after 0 ms: FaultError: injected fault: close:tts.',
      )
    }))

  it('quotes the error of a failed start, with one full stop', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, {})
      call.faults.set('open:stt', 'throw')
      await expect(call.session.start()).rejects.toThrow()
      const report = await call.session.close()
      expect(verdictOf(report)).toMatchObject({
        reason: 'The call could not start.',
        sentence: expect.stringMatching(/^FaultError: injected fault: open:stt\. Everything else closed in/),
      })
      const error = { name: 'LinkError', message: 'Check the network.' }
      expect(verdictOf({ ...report, error, errors: [] }).sentence).toMatch(
        /^LinkError: Check the network\. Everything/,
      )
    }))

  it('[ST2] tells a lost caller from a close that went wrong', () =>
    inVirtualTime(async (world) => {
      const report = await ended(world, {}, ({ caller }) => caller.vanishes())
      expect(verdictOf(report)).toMatchObject({
        clean: true,
        ended: { text: 'connection lost', tone: 'warn' },
        reason: 'The connection to the caller was lost.',
        sentence: expect.stringMatching(/^Closed cleanly in/),
      })
    }))
})
