import { describe, expect, it } from 'vitest'
import { Agent, menuTools, tool, type MenuToolsOptions } from '../../../src/session/index.ts'
import { callTool, inVirtualTime, type LlmAnswer, type World } from '../../../src/testing/index.ts'
import { aLiveCall, expectEnded, said, type Call } from '../fixture.ts'

const main = 'For sales press one. For support press two.'
const offers = 'For crowns press one. For braces press two.'
const sales = 'All our agents are busy. Please hold the line.'
const press = (keys: string): LlmAnswer => [callTool('press_keys', { keys })]
const wait: LlmAnswer = [callTool('wait_and_listen')]

/** A call to a menu, with what the model does each time. */
const aMenuCall = (world: World, answers: readonly LlmAnswer[], options?: MenuToolsOptions): Promise<Call> =>
  aLiveCall(world, { agent: { toolsets: [menuTools(options)] }, answers })

/** The menu says something, and the agent has reacted to it. */
async function menuSays(call: Call, text: string): Promise<void> {
  await call.caller.says(text)
  await call.caller.pauses(1_000)
  await call.clock.elapse(500)
}

describe('the tools for a menu', () => {
  it('[KY7] press keys and listen, and wait for a menu to go on, without a word of the agent', () =>
    inVirtualTime(async (world) => {
      const late: unknown[] = []
      const call = await aLiveCall(world, {
        agent: { toolsets: [menuTools()] },
        answers: [wait, press(' 1 '), press('2'), wait, 'Hello, this is Ada.'],
        onLate: (each) => late.push(each),
      })
      await menuSays(call, 'Welcome to Bright Dental.')
      await menuSays(call, main)
      expect(call.line.heardKeys).toBe('1')
      await menuSays(call, offers)
      await menuSays(call, sales)
      await menuSays(call, 'Sales, good morning.')
      await call.caller.hears('Hello, this is Ada.')
      await world.clock.elapse(1_000)
      expect(said(call.session)).toEqual([
        'user: Welcome to Bright Dental.',
        'wait_and_listen → something was said',
        `user: ${main}`,
        'press_keys → pressed 1',
        'pressed 1',
        `user: ${offers}`,
        'press_keys → pressed 2',
        'pressed 2',
        `user: ${sales}`,
        'wait_and_listen → something was said',
        'user: Sales, good morning.',
        'agent: Hello, this is Ada.',
      ])
      await call.session.close()
      expect(expectEnded(call)).toMatchObject({ clean: true })
      expect(late).toEqual([])
    }))

  it('[KY7] tell the model if nothing is said', () =>
    inVirtualTime(async (world) => {
      const call = await aMenuCall(world, [press('1'), wait, 'Hello?'], { listenFor: 4_000 })
      await menuSays(call, main)
      await world.clock.elapse(4_500)
      await call.caller.hears('Hello?')
      expect(said(call.session)).toEqual(
        expect.arrayContaining([
          'press_keys → pressed 1; then nothing was said for 4 s',
          'wait_and_listen → nothing was said for 4 s',
        ]),
      )
      await call.session.close()
    }))

  it('[KY7] tell the model what is not a key, and press nothing', () =>
    inVirtualTime(async (world) => {
      const call = await aMenuCall(world, [press('one'), press('1')], { giveUpAt: 2 })
      await menuSays(call, main)
      expect(said(call.session)[1]).toBe(
        "press_keys → a telephone has no key 'o': use 0 to 9, *, #, or A to D",
      )
      expect(call.line.heardKeys).toBe('1')
      await call.session.close()
    }))

  it('[KY7] tell the model if the keys could not be pressed', () =>
    inVirtualTime(async (world) => {
      const busy = async (): Promise<void> => {
        throw new Error('the carrier is busy')
      }
      const agent = { toolsets: [menuTools()] }
      const call = await aLiveCall(world, { agent, answers: [press('1'), 'Hello?'], line: { press: busy } })
      await menuSays(call, main)
      expect(said(call.session)).toContain('press_keys → the carrier is busy')
      await call.session.close()
    }))

  it('[KY7] end at once when the session closes while they listen', () =>
    inVirtualTime(async (world) => {
      const call = await aMenuCall(world, [wait])
      await menuSays(call, main)
      await call.session.close()
      expect(expectEnded(call)).toMatchObject({ clean: true, took: 0 })
    }))

  it('[KY8] tell the model that it goes in a circle, and then hang up', () =>
    inVirtualTime(async (world) => {
      const call = await aMenuCall(world, [press('1'), press('1'), press('2'), press('1')])
      const outputs: string[] = []
      call.session.on('tool-done', ({ outcome }) => outputs.push(outcome.output))
      for (let visit = 0; visit < 4; visit++) await menuSays(call, main)
      await world.clock.elapse(2_000)
      expect(outputs).toEqual([
        'pressed 1',
        expect.stringMatching(
          /^pressed 1\. You have been at this menu 2 times: these keys lead in a circle\./,
        ),
        expect.stringMatching(/^pressed 2\. You have been at this menu 3 times/),
        'hung up',
      ])
      expect(call.line.heardKeys).toBe('112')
      expect(expectEnded(call)).toMatchObject({ reason: 'agent-hung-up', by: 'menuTools', clean: true })
    }))

  it('[KY8] do what the application wants when they give up', () =>
    inVirtualTime(async (world) => {
      const person = new Agent({ name: 'person', instructions: 'You are a person.' })
      const options = { warnAt: 1, giveUpAt: 2, onGiveUp: () => person }
      const call = await aMenuCall(world, [press('1'), press('1')], options)
      await menuSays(call, main)
      await menuSays(call, main)
      expect(said(call.session)).toEqual(
        expect.arrayContaining([expect.stringContaining('pressed 1. You have been'), 'desk → person']),
      )
      await call.session.close()
    }))

  it('[KY8] do not wait on hold forever', () =>
    inVirtualTime(async (world) => {
      const call = await aMenuCall(world, [wait, wait, press('0'), wait, wait, wait], {
        maxWait: 20_000,
        listenFor: 15_000,
      })
      await menuSays(call, sales)
      await world.clock.elapse(14_000)
      await menuSays(call, 'Or press zero.')
      // The keys begin a new wait.
      await world.clock.elapse(25_000)
      expect(call.session.state).toBe('live')
      await world.clock.elapse(45_000)
      expect(expectEnded(call)).toMatchObject({ reason: 'agent-hung-up', by: 'menuTools' })
    }))

  it('[KY8] count for each call alone', () =>
    inVirtualTime(async (world) => {
      const agent = new Agent({ instructions: 'x', toolsets: [menuTools({ giveUpAt: 2 })] })
      for (let count = 0; count < 3; count++) {
        const call = await aLiveCall(world, { agent, answers: [press('1')] })
        await menuSays(call, main)
        expect(call.line.heardKeys).toBe('1')
        await call.session.close()
      }
    }))

  it.each([
    [{ warnAt: 0 }, /warnAt must be a whole number, 1 or more; it is 0/],
    [{ giveUpAt: 1.5 }, /giveUpAt must be a whole number/],
    [{ listenFor: -1 }, /listenFor must be a finite number of milliseconds, 0 or more; it is -1/],
    [{ maxWait: Infinity }, /maxWait must be a finite number/],
    [{ maxwait: 3 } as never, /maxwait/],
  ])('[FA7] refuse %j', (options, message) => {
    expect(() => menuTools(options)).toThrow(message)
  })
})

describe('a tool that is cancelled', () => {
  it('[TL2] has the output that it has set, and otherwise that of a cancelled call', () =>
    inVirtualTime(async (world) => {
      const slow = tool({
        description: 'Slow',
        onInterrupt: 'cancel',
        run: async (_, { ifCancelled, history, signal }) => {
          ifCancelled(`halfway, after ${history.items.length} items`)
          await new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
          })
        },
      })
      const call = await aLiveCall(world, {
        agent: { tools: { slow } },
        answers: [[callTool('slow')], 'Yes?'],
      })
      call.caller.types('Go.')
      await world.clock.elapse(100)
      call.caller.types('Stop.')
      await call.caller.hears('Yes?')
      expect(said(call.session)).toContain('slow → halfway, after 2 items')
      await call.session.close()
      expect(expectEnded(call)).toMatchObject({ clean: true })
    }))
})
