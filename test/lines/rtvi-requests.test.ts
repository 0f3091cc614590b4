import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits } from '../../src/lines/rtvi/limits.ts'
import { pageTool, tool } from '../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../src/testing/index.ts'
import { liveStage } from './rtvi-stage.ts'

describe('the tools of an agent', () => {
  const lookUp = tool({ description: 'Looks up a customer', run: () => ({ owes: 40 }) })
  const answers = [[callTool('lookUp', { customer: 7 })], 'Forty euros.']

  it.each([
    ['hidden', {}, {}, {}],
    ['names', { function_name: 'lookUp' }, {}, {}],
    ['all', { function_name: 'lookUp' }, { arguments: { customer: 7 } }, { result: '{"owes":40}' }],
  ] as const)('[RV4] are shown to a client as far as the option says: %s', (tools, name, given, result) =>
    inVirtualTime(async (world) => {
      const rtvi = tools === 'hidden' ? {} : { tools }
      const stage = await liveStage(world, { agent: { tools: { lookUp } }, answers, rtvi })
      stage.says('send-text', { content: 'What do I owe?' })
      await stage.clock.elapse(3_000)
      expect(stage.all('llm-function-call-started')).toEqual([name])
      expect(stage.all('llm-function-call-in-progress')).toEqual([{ tool_call_id: 'i2', ...name, ...given }])
      expect(stage.all('llm-function-call-stopped')).toEqual([
        { tool_call_id: 'i2', cancelled: false, ...name, ...result },
      ])
      await stage.end()
    }),
  )

  it('[RV4] [PG2] run in the client if they are made for it, which gets their name and arguments once', () =>
    inVirtualTime(async (world) => {
      const showMap = pageTool({ description: 'Shows a map' })
      const stage = await liveStage(world, {
        agent: { tools: { showMap } },
        answers: [[callTool('showMap', { place: 'Berlin' })], 'There.'],
        rtvi: { tools: 'all' },
      })
      stage.says('send-text', { content: 'Where are you?' })
      await stage.clock.elapse(500)
      expect(stage.all('llm-function-call-in-progress')).toEqual([
        { tool_call_id: 'i2', function_name: 'showMap', arguments: { place: 'Berlin' } },
      ])
      stage.says('llm-function-call-result', { tool_call_id: 'another', result: 'wrong' })
      stage.says('llm-function-call-result', { tool_call_id: 'i2', result: { shown: true } })
      stage.says('llm-function-call-result', { tool_call_id: 'i2', result: 'again' })
      await stage.clock.elapse(2_000)
      expect(stage.session.history.items[1]).toMatchObject({ result: { output: '{"shown":true}' } })
      expect(stage.all('llm-function-call-stopped')).toMatchObject([{ cancelled: false }])
      await stage.end()
    }))

  it('[PG2] [RV4] end with the call if the client never answers, and the close is clean', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world, {
        agent: { tools: { showMap: pageTool({ description: 'Shows a map' }) } },
        answers: [[callTool('showMap')], 'There.'],
      })
      stage.says('send-text', { content: 'Where are you?' })
      await stage.clock.elapse(500)
      expect(stage.all('llm-function-call-in-progress')).toHaveLength(1)
      await stage.end()
      const { clean, took } = await stage.session.closed
      expect([clean, took]).toEqual([true, 0])
    }))

  it('[RV4] are reported as cancelled if they were', () =>
    inVirtualTime(async (world) => {
      const slow = tool({
        description: 'Takes long',
        onInterrupt: 'cancel',
        run: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
      })
      const stage = await liveStage(world, {
        agent: { tools: { slow } },
        answers: [[callTool('slow')], 'Fine.'],
      })
      stage.says('send-text', { content: 'Wait.' })
      await stage.clock.elapse(500)
      stage.says('send-text', { content: 'Stop!' })
      await stage.clock.elapse(500)
      expect(stage.all('llm-function-call-stopped')).toEqual([{ tool_call_id: 'i2', cancelled: true }])
      await stage.end()
    }))
})

describe('a message of the client', () => {
  it('[RV5] is answered by the agent, with its id and its name', () =>
    inVirtualTime(async (world) => {
      const onMessage = ({ type, data }: { type: string; data: unknown }): unknown => ({ got: [type, data] })
      const stage = await liveStage(world, { agent: { onMessage } })
      stage.says('client-message', { t: 'basket', d: { items: 3 } }, 'q7')
      await stage.clock.elapse(1)
      expect(stage.received).toMatchObject([
        { type: 'server-response', id: 'q7', data: { t: 'basket', d: { got: ['basket', { items: 3 }] } } },
      ])
      await stage.end()
    }))

  it.each([
    ['takes none', undefined, 'the agent takes no messages', 1],
    ['fails', () => Promise.reject(new Error('secret')), 'the agent failed to answer', 1],
    ['hangs', () => new Promise(() => {}), 'the agent failed to answer', 9_500],
    ['returns what is not JSON', () => 1n, 'the answer is too long, or cannot be JSON', 1],
    ['returns too much', () => 'x'.repeat(limits.message), 'the answer is too long, or cannot be JSON', 1],
  ])('[RV5] gets an error within 10 s if the agent %s', (_, onMessage, error, after) =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world, { agent: onMessage ? { onMessage } : {}, onLate: () => {} })
      stage.says('client-message', { t: 'basket' }, 'q7')
      await stage.clock.elapse(after)
      const answers = stage.received.filter(({ id }) => id === 'q7')
      expect(answers).toMatchObject([{ type: 'error-response', data: { error } }])
      await stage.end()
    }),
  )

  it('[RV5] is refused if too many wait for an answer', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world, {
        agent: { onMessage: () => new Promise(() => {}) },
        onLate: () => {},
      })
      for (let i = 0; i <= limits.requests; i++) stage.says('client-message', { t: 'basket' }, `q${i}`)
      await stage.clock.elapse(1)
      expect(stage.received).toMatchObject([{ type: 'error-response', id: `q${limits.requests}` }])
      await stage.end()
    }))

  it('[RV5] goes the other way by session.send(), and one that is too long is an error of the session', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world)
      for (const data of [{ show: 'map' }, 'text', 0, null]) stage.session.send(data)
      expect(stage.received.map(({ type, data }) => [type, data])).toEqual(
        [{ show: 'map' }, 'text', 0, null].map((data) => ['server-message', data]),
      )
      stage.session.send('x'.repeat(limits.message))
      expect(stage.errors).toMatchObject([{ code: 'LIMIT' }])
      await stage.end()
    }))
})

describe('what the client sends', () => {
  it('[RV6] as text is a turn that interrupts the agent, unless it asks for no answer', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world, { answers: ['Fine.'] })
      const speech = stage.session.say('Good morning, this is Bright Dental, and this takes a while.')
      await stage.clock.elapse(500)
      stage.says('send-text', { content: 'I am in a hurry.', options: { run_immediately: false } })
      await stage.clock.elapse(100)
      expect(speech.interrupted).toBe(false)
      stage.says('send-text', { content: 'Hello?', options: { audio_response: false } })
      expect(speech.interrupted).toBe(true)
      await stage.clock.elapse(2_000)
      expect(stage.log).toContain('user: Hello?')
      expect(stage.log.at(-1)).toBe('agent played: Fine.')
      expect(stage.llm.requests[0]?.messages.map((message) => 'text' in message && message.text)).toContain(
        'I am in a hurry.',
      )
      expect(stage.all('error-response')).toHaveLength(1)
      await stage.end()
    }))

  it('[RV6] as keys is pressed one by one, in the form of version 2.0 and of 2.1', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world, { turns: { dtmf: {} } })
      const digits: string[] = []
      stage.session.on('digits', (entered) => digits.push(entered.digits))
      stage.says('dtmf', { buttons: ['1', '2', '#'] })
      stage.says('dtmf', { button: '*' })
      await stage.clock.elapse(5_000)
      expect(digits).toEqual(['12', '*'])
      await stage.end()
    }))

  it('[RV6] as a wish that the agent leaves lets it finish, and ends the call as hung up', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world)
      const speech = stage.session.say('Good morning, this is Bright Dental.')
      await stage.clock.elapse(500)
      stage.says('disconnect-bot', {})
      await stage.session.closed
      expect(speech.outcome).toMatchObject({ how: 'played' })
      expect(stage.reports).toMatchObject([{ reason: 'caller-hung-up', by: 'disconnect-bot', clean: true }])
      await stage.end()
    }))

  it('[RV6] is answered with an error if it is not supported or malformed', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world)
      stage.says('append-to-context', { role: 'user', content: 'x' }, 'a')
      stage.says('toString', {}, 'b')
      stage.says('dtmf', { buttons: ['x'] }, 'c')
      stage.says('send-text', { content: 7 }, 'd')
      stage.says('ui-snapshot', { tree: {} }, 'e')
      expect(stage.received.map(({ type, id }) => `${type} ${id}`)).toEqual(
        ['a', 'b', 'c', 'd'].map((id) => `error-response ${id}`),
      )
      await stage.end()
    }))

  it('[RV6] never throws, whatever it is', () =>
    inVirtualTime(async (world) => {
      const stage = await liveStage(world, { onLate: () => {} })
      const types = ['client-ready', 'send-text', 'client-message', 'llm-function-call-result', 'dtmf', 'x']
      const message = fc.record(
        {
          label: fc.oneof(fc.constant('rtvi-ai'), fc.jsonValue()),
          type: fc.oneof(fc.constantFrom(...types, '__proto__', 'constructor'), fc.jsonValue()),
          id: fc.oneof(fc.string(), fc.jsonValue()),
          data: fc.oneof(
            fc.jsonValue(),
            fc.dictionary(
              fc.constantFrom('version', 'content', 't', 'd', 'buttons', 'tool_call_id', 'options'),
              fc.jsonValue(),
            ),
          ),
        },
        { requiredKeys: [] },
      )
      fc.assert(
        fc.property(fc.oneof(fc.string(), message), (any) => {
          stage.conversation.receive(typeof any === 'string' ? any : JSON.stringify(any))
        }),
        { numRuns: 300, seed: 1 },
      )
      await stage.clock.elapse(100)
      await stage.end()
    }))
})
