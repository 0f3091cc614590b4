import { describe, expect, it } from 'vitest'
import { askForKeys, tool, type AskForKeysOptions } from '../../../src/session/index.ts'
import { callTool, inVirtualTime, type LlmAnswer, type World } from '../../../src/testing/index.ts'
import { aLiveCall, expectEnded, said, type CallOptions } from '../fixture.ts'

const ask = 'Your number, please.'
/** The prompt has 20 characters, which take the scripted voice 50 ms each. */
const PROMPT = 1_000

/** A call whose agent asks for keys as soon as the caller types something. */
async function aCallThatAsks(
  world: World,
  options: Partial<AskForKeysOptions> = {},
  call: CallOptions & { timeout?: number; later?: readonly LlmAnswer[] } = {},
) {
  const { timeout = 120_000, later = ['Thank you.'], ...rest } = call
  const results: unknown[] = []
  const identify = tool({
    description: 'Ask for the number',
    timeout,
    run: async (_, { run }) => {
      const keys = await run(askForKeys({ say: ask, ...options }))
      results.push(keys)
      return `the number is ${keys}`
    },
  })
  const live = await aLiveCall(world, {
    agent: { tools: { identify } },
    answers: [[callTool('identify')], ...later],
    ...rest,
  })
  live.caller.types('It is me.')
  await live.caller.hears('Your')
  return { ...live, results }
}

describe('asking for keys', () => {
  it('[KY5] collects them until there are enough, and the agent goes on with the result', () =>
    inVirtualTime(async (world) => {
      const call = await aCallThatAsks(world, { digits: 4 })
      await world.clock.elapse(PROMPT)
      for (const key of '4711') {
        call.caller.presses(key)
        await world.clock.elapse(4_000)
      }
      expect(call.results).toEqual(['4711'])
      await call.caller.hears('Thank you.')
      await world.clock.elapse(1_000)
      expect(said(call.session)).toEqual([
        'user: It is me.',
        'identify → the number is 4711',
        `agent: ${ask}`,
        'agent: Thank you.',
      ])
      await call.session.close()
      expect(expectEnded(call)).toMatchObject({ clean: true })
    }))

  it('[KY5] collects them until the end key', () =>
    inVirtualTime(async (world) => {
      const call = await aCallThatAsks(world, { finishOn: '*' })
      await world.clock.elapse(PROMPT)
      call.caller.presses('12#3*')
      await world.clock.elapse(0)
      expect(call.results).toEqual(['12#3'])
      await call.session.close()
    }))

  it('[KY5] collects them until none follows in time', () =>
    inVirtualTime(async (world) => {
      const call = await aCallThatAsks(world, { timeout: 2_000 })
      await world.clock.elapse(PROMPT)
      await world.clock.elapse(1_500)
      call.caller.presses('12')
      await world.clock.elapse(1_999)
      expect(call.results).toEqual([])
      await world.clock.elapse(1)
      expect(call.results).toEqual(['12'])
      await call.session.close()
    }))

  it('[KY5] ends its words with the first key', () =>
    inVirtualTime(async (world) => {
      const call = await aCallThatAsks(world, { digits: 2 })
      call.caller.presses('12')
      await world.clock.elapse(0)
      expect(call.results).toEqual(['12'])
      await call.caller.hears('Thank you.')
      expect(said(call.session)[2]).toMatch(/^agent: Your? —$/)
      await call.session.close()
    }))

  it('[KY5] asks again after too few keys or none, and gives up after `tries`', () =>
    inVirtualTime(async (world) => {
      const call = await aCallThatAsks(world, { digits: 4, again: 'Four digits.', tries: 3, timeout: 2_000 })
      await world.clock.elapse(PROMPT)
      call.caller.presses('12#')
      await call.caller.hears('Four digits.')
      await world.clock.elapse(2_000)
      expect(call.results).toEqual([])
      await world.clock.elapse(700)
      call.caller.presses('7')
      await world.clock.elapse(2_100)
      expect(call.results).toEqual([undefined])
      await call.caller.hears('Thank you.')
      expect(said(call.session).filter((line) => line === 'agent: Four digits.')).toHaveLength(2)
      await call.session.close()
    }))

  it('[KY5] waits while a caller speaks, and understands digits that are said', () =>
    inVirtualTime(async (world) => {
      const later = [
        'It is the long number on the front of your card.',
        [callTool('enter_keys', { keys: '47 11' })],
        'Thank you.',
      ] as const
      const call = await aCallThatAsks(world, { digits: 4, timeout: 2_000, tries: 1 }, { later })
      await world.clock.elapse(PROMPT)
      await world.clock.elapse(1_000)
      await call.caller.says('Which number do you mean by that, please?')
      await call.caller.pauses(1_000)
      await call.caller.hears('It is the long number on the front of your card.')
      expect(call.results).toEqual([])
      call.caller.presses('4')
      await world.clock.elapse(1_000)
      await call.caller.says('Four seven one one.')
      await call.caller.pauses(1_000)
      await world.clock.elapse(1_000)
      expect(call.results).toEqual(['4711'])
      await call.session.close()
    }))

  it('[KY5] refuses spoken digits of another length, and lets the caller give up', () =>
    inVirtualTime(async (world) => {
      const later = [
        [callTool('enter_keys', { keys: '471' })],
        'Four, please.',
        [callTool('give_up')],
        'Bye.',
      ] as const
      const call = await aCallThatAsks(world, { digits: 4 }, { later })
      call.caller.types('471')
      await call.caller.hears('Four, please.')
      call.caller.types('I do not have it.')
      await call.caller.hears('Bye.')
      expect(call.results).toEqual([undefined])
      expect(said(call.session)).toContain('enter_keys → there must be 4 digits, not 3: ask the caller again')
      await call.session.close()
    }))

  it('[KY6] takes the keys for itself, also the end key that is pressed out of habit', () =>
    inVirtualTime(async (world) => {
      const call = await aCallThatAsks(world, { digits: 2 }, { turns: { dtmf: { count: 1 } } })
      const digits: string[] = []
      call.session.on('digits', (event) => digits.push(event.digits))
      call.caller.presses('12')
      await world.clock.elapse(500)
      call.caller.presses('#')
      expect(digits).toEqual([])
      call.caller.presses('3')
      expect(digits).toEqual(['3'])
      await world.clock.elapse(5_000)
      call.caller.presses('#')
      expect(digits).toEqual(['3', '#'])
      await call.session.close()
    }))

  it('[KY6] leaves nothing behind if the session closes, or the tool takes too long', () =>
    inVirtualTime(async (world) => {
      const closed = await aCallThatAsks(world)
      await world.clock.elapse(PROMPT)
      closed.caller.presses('1')
      await closed.session.close()
      expect(expectEnded(closed)).toMatchObject({ took: 0, errors: [] })
      expect(closed.results).toEqual([])

      const late = await aCallThatAsks(world, {}, { timeout: 2_000, turns: { dtmf: { count: 1 } } })
      const digits: string[] = []
      late.session.on('digits', (event) => digits.push(event.digits))
      await world.clock.elapse(10_000)
      late.caller.presses('1')
      expect(digits).toEqual(['1'])
      expect(said(late.session).filter((line) => line === `agent: ${ask}`)).toHaveLength(1)
      await late.session.close()
    }))

  it('[KY6] can be done many times in a row: each entry counts as a turn of the caller', () =>
    inVirtualTime(async (world) => {
      const all: unknown[] = []
      const form = tool({
        description: 'Fill in a form',
        timeout: 600_000,
        run: async (_, { run }) => {
          for (let count = 0; count < 15; count++)
            all.push(await run(askForKeys({ say: 'Next.', digits: 1 })))
        },
      })
      const call = await aLiveCall(world, {
        agent: { tools: { form } },
        answers: [[callTool('form')], 'Done.'],
      })
      call.caller.types('Go on.')
      for (let count = 0; count < 15; count++) {
        await world.clock.elapse(1_000)
        call.caller.presses(String(count % 10))
      }
      await call.caller.hears('Done.')
      expect(all.join('')).toBe('012345678901234')
      await call.session.close()
    }))

  it.each([
    [{ say: '' }, 'BAD_OPTION', /say must be a text/],
    [{ say: 'x', digits: 0 }, 'BAD_OPTION', /digits must be a whole number, 1 to 32; it is 0/],
    [{ say: 'x', digits: 33 }, 'BAD_OPTION', /digits/],
    [{ say: 'x', tries: 1.5 }, 'BAD_OPTION', /tries must be a whole number, 1 or more; it is 1.5/],
    [{ say: 'x', timeout: Number.NaN }, 'BAD_OPTION', /timeout must be a finite number/],
    [{ say: 'x', finishOn: '##' }, 'BAD_OPTION', /finishOn must be one key; it is '##'/],
    [{ say: 'x', finishOn: 'w' }, 'BAD_OPTION', /finishOn must be one key/],
    [{ say: 'x', finishOn: 'x' }, 'BAD_DTMF_KEY', /no key 'x'/],
    [{ say: 'x', digit: 3 } as never, 'BAD_OPTION', /digit/],
  ])('[FA7] refuses %j', (options, code, message) => {
    const refusal = expect.objectContaining({ code, message: expect.stringMatching(message) })
    expect(() => askForKeys(options)).toThrow(refusal)
  })
})
