import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { LineToolCall } from '../../../src/parts/index.ts'
import { pageTool, type CallerMessage } from '../../../src/session/index.ts'
import { ScriptedRealtime, callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, aLiveCall, said } from '../fixture.ts'

describe('a message of the caller’s program', () => {
  const message: CallerMessage = { type: 'basket', data: { items: 3 } }

  it('[PG1] is answered by the agent in charge', () =>
    inVirtualTime(async (world) => {
      const onMessage = ({ type, data }: CallerMessage): unknown => ({ type, data, seen: true })
      const { session } = await aLiveCall(world, { agent: { onMessage } })
      expect(await session.receive(message)).toEqual({ ...message, seen: true })
      await session.close()
    }))

  it.each([
    ['the agent has no hook for it', undefined, 'MESSAGE_UNHANDLED', 0],
    ['the hook throws', () => Promise.reject(new Error('no basket')), 'MESSAGE_FAILED', 0],
    ['the hook hangs', () => new Promise(() => {}), 'MESSAGE_FAILED', 9_000],
  ])('[PG1] is refused if %s', (_, onMessage, code, after) =>
    inVirtualTime(async (world) => {
      const { session, clock, reports } = await aLiveCall(world, {
        agent: onMessage ? { onMessage } : {},
        onLate: () => {},
      })
      await expect(session.receive(message)).rejects.toMatchObject({ code })
      expect(clock.now()).toBe(after)
      await session.close()
      expect(reports[0]?.errors.map(({ where }) => where)).toEqual(
        onMessage ? ["message hook of 'desk'"] : [],
      )
    }),
  )

  it('[PG1] is refused before the session is live, and once it closes', () =>
    inVirtualTime(async (world) => {
      const { session } = aCall(world, { agent: { onMessage: () => 'seen' } })
      await expect(session.receive(message)).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
      await session.start()
      const closing = session.close()
      await expect(session.receive(message)).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
      await closing
    }))

  it('[PG1] to the program reaches it only on a line that can, and not while the session closes', () =>
    inVirtualTime(async (world) => {
      const sent: unknown[] = []
      const sendMessage = (data: unknown): void => void sent.push(data)
      const { session } = await aLiveCall(world, { line: { program: { sendMessage } } })
      expect(session.send({ show: 'map' })).toBe(true)
      const closing = session.close()
      expect(session.send('late')).toBe(false)
      await closing
      expect(sent).toEqual([{ show: 'map' }])
      const { session: phone } = await aLiveCall(world)
      expect(phone.send('hello')).toBe(false)
      await phone.close()
    }))
})

describe('a tool that runs in the caller’s program', () => {
  const showMap = pageTool({
    description: 'Show a place on the map',
    input: z.object({ place: z.string() }),
    timeout: 5_000,
  })
  const answers = [[callTool('showMap', { place: 'Berlin' })], 'Here it is.']

  it('[PG2] gets the input that its schema has checked, and its result goes to the model', () =>
    inVirtualTime(async (world) => {
      const calls: LineToolCall[] = []
      const runTool = async (call: LineToolCall): Promise<unknown> => {
        calls.push(call)
        return { shown: true }
      }
      const { session, caller, clock } = await aLiveCall(world, {
        agent: { tools: { showMap } },
        answers,
        line: { program: { runTool } },
      })
      const events: unknown[] = []
      session.on('tool', ({ name, inPage }) => events.push({ name, inPage }))
      caller.types('Where are you?')
      await clock.elapse(2_000)
      expect(calls).toEqual([{ id: 'i2', name: 'showMap', input: { place: 'Berlin' } }])
      expect(events).toEqual([{ name: 'showMap', inPage: true }])
      expect(said(session)).toEqual([
        'user: Where are you?',
        'showMap → {"shown":true}',
        'agent: Here it is.',
      ])
      await session.close()
    }))

  it('[PG2] does not get an input that its schema refuses', () =>
    inVirtualTime(async (world) => {
      let calls = 0
      const runTool = async (): Promise<void> => void calls++
      const { session, caller, clock } = await aLiveCall(world, {
        agent: { tools: { showMap } },
        answers: [[callTool('showMap', { place: 7 })], 'Sorry.'],
        line: { program: { runTool } },
      })
      caller.types('Where are you?')
      await clock.elapse(2_000)
      expect(calls).toBe(0)
      expect(said(session)[1]).toMatch(/the input of 'showMap' is wrong/)
      await session.close()
    }))

  it.each([
    ['does not answer', () => new Promise(() => {}), /took longer than 5000 ms/],
    ['fails', () => Promise.reject(new Error('no map here')), /no map here/],
    ['does not exist', undefined, /the line 'line' has none/],
  ])('[PG2] has an outcome if the program %s', (_, runTool, output) =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await aLiveCall(world, {
        agent: { tools: { showMap } },
        answers,
        onLate: () => {},
        ...(runTool ? { line: { program: { runTool } } } : {}),
      })
      caller.types('Where are you?')
      await clock.elapse(8_000)
      expect(said(session)[1]).toMatch(output)
      expect(said(session)[2]).toBe('agent: Here it is.')
      await session.close()
    }),
  )

  it('[PG2] is cancelled by a close, and its later result changes nothing', () =>
    inVirtualTime(async (world) => {
      let answer: (value: unknown) => void = () => {}
      let signal: AbortSignal | undefined
      const runTool = (_: LineToolCall, aborts: AbortSignal): Promise<unknown> => {
        signal = aborts
        return new Promise((resolve) => (answer = resolve))
      }
      const { session, caller, clock } = await aLiveCall(world, {
        agent: { tools: { showMap } },
        answers,
        onLate: () => {},
        line: { program: { runTool } },
      })
      caller.types('Where are you?')
      await clock.elapse(500)
      const { transcript } = await session.close()
      expect(signal?.aborted).toBe(true)
      answer('too late')
      await clock.elapse(10)
      expect(transcript[1]).toMatchObject({ result: { output: "'showMap' was cancelled", failed: true } })
      expect(session.history.items).toEqual(transcript)
    }))
})

describe('a text that asks for no answer', () => {
  it('[PG3] interrupts nothing, and is known to the next answer', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock, llm } = await aLiveCall(world, { answers: ['Yes.'] })
      const speech = session.say('Good morning, this is Bright Dental.')
      await clock.elapse(500)
      session.addText('I am on the page with prices.')
      await clock.elapse(3_000)
      expect([speech.outcome?.how, llm.requests.length]).toEqual(['played', 0])
      caller.types('Is this the right page?')
      await clock.elapse(1_000)
      expect(llm.requests[0]?.messages.map(({ role }) => role)).toEqual(['agent', 'user', 'user'])
      await session.close()
      session.addText('too late')
      expect(said(session)).toHaveLength(4)
    }))

  it('[PG3] reaches a realtime model without a request for an answer', () =>
    inVirtualTime(async (world) => {
      const realtime = new ScriptedRealtime({ answers: ['Yes.'] })
      const { session, caller, clock } = await aLiveCall(world, { models: { realtime } } as object)
      session.addText('I am on the page with prices.')
      await clock.elapse(2_000)
      expect(said(session)).toEqual(['user: I am on the page with prices.'])
      caller.types('Is this the right page?')
      await clock.elapse(2_000)
      expect(said(session).at(-1)).toBe('agent: Yes.')
      await session.close()
    }))
})
