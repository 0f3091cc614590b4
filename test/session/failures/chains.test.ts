import { describe, expect, it } from 'vitest'
import { Agent, tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, aLiveCall, expectEnded } from '../fixture.ts'

describe('callbacks that cause each other', () => {
  it('[FA5] end the session if an error is answered by speech that fails', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { tts: { failAfter: 0 } })
      call.session.on('error', () => call.session.say('Sorry'))
      await call.session.start()
      call.session.say('Hello')
      expect(await call.session.closed).toMatchObject({ reason: 'error', by: 'tts' })
      expectEnded(call)
    }))

  it('[FA5] end the session if an error is answered by a reply that fails', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, {
        llm: { answers: () => [{ fail: new Error('404') }] },
        apology: { again: '' },
      })
      call.session.on('error', () => call.session.reply())
      await call.session.start()
      call.session.reply()
      expect(await call.session.closed).toMatchObject({ reason: 'error', by: 'llm' })
      expectEnded(call)
    }))

  it('[FA5] let the event loop turn if the end of a speech begins the next', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      let count = 0
      call.session.on('spoken', () => {
        count++
        call.session.say('')
      })
      await call.session.start()
      call.session.say('')
      await world.clock.elapse(1_000)
      expect(count).toBeGreaterThan(100)
      expect(count).toBeLessThan(3_000)
      await call.session.close()
      expectEnded(call)
    }))

  it('[FA5] let the event loop turn if the end of a reply begins the next', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { llm: { answers: () => [] } })
      let count = 0
      const again = (): void => {
        if (++count < 100_000) call.session.reply().finished.then(again, again)
      }
      again()
      await world.clock.elapse(1_000)
      expect(count).toBeLessThan(3_000)
      await call.session.close()
      expectEnded(call)
    }))
})

describe('agents that hand over in a circle', () => {
  it('[AG6] are stopped if their hooks do so', () =>
    inVirtualTime(async (world) => {
      let entered = 0
      const a: Agent = new Agent({
        name: 'a',
        instructions: '',
        onEnter: ({ session }) => (entered++, session.handOff(b)),
      })
      const b: Agent = new Agent({
        name: 'b',
        instructions: '',
        onEnter: ({ session }) => (entered++, session.handOff(a)),
      })
      const call = await aLiveCall(world, { agent: a })
      await world.clock.elapse(1_000)
      expect(entered).toBeLessThanOrEqual(11)
      expect(call.errors.length).toBeGreaterThan(0)
      expect(call.errors[0]).toMatchObject({ code: 'LIMIT', message: expect.stringContaining('handoffs') })
      expect(call.session.state).toBe('live')
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG6] are stopped if their models do so, and may go on after a turn of the caller', () =>
    inVirtualTime(async (world) => {
      const make = (name: string, next: () => Agent): Agent =>
        new Agent({
          name,
          instructions: '',
          onEnter: ({ session }) => void session.reply(),
          tools: { put: tool({ description: 'Put through', run: () => next() }) },
        })
      const a: Agent = make('a', () => b)
      const b: Agent = make('b', () => a)
      const call = await aLiveCall(world, { agent: a, llm: { answers: () => [callTool('put')] } })
      await world.clock.elapse(2_000)
      const { length } = call.llm.requests
      expect(length).toBeLessThan(20)
      await world.clock.elapse(20_000)
      expect(call.llm.requests).toHaveLength(length)
      call.caller.types('Hello?')
      await world.clock.elapse(2_000)
      expect(call.llm.requests.length).toBeGreaterThan(length)
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG3] are not kept waiting forever by speech that does not end', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      const endless = async function* () {
        for (;;) yield 'and so on '
      }
      const words = async function* () {
        for await (const word of endless()) {
          await world.clock.elapse(400)
          yield word
        }
      }
      call.session.say(words())
      await world.clock.elapse(1_000)
      await expect(call.session.handOff(new Agent({ name: 'next', instructions: '' }))).rejects.toMatchObject(
        {
          code: 'HANDOFF_FAILED',
        },
      )
      expect(world.clock.now()).toBeLessThan(130_000)
      await call.session.close()
    }))
})

describe('a session', () => {
  it('[FA5] queues at most 100 speeches, and reports once that there are more', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      const speeches = Array.from({ length: 30_000 }, () => call.session.say('Hello.'))
      const refused = speeches.filter(({ outcome }) => outcome?.how === 'failed')
      expect(refused).toHaveLength(30_000 - 101)
      expect(refused[0]!.outcome!.error).toMatchObject({ code: 'LIMIT' })
      expect(call.errors).toHaveLength(1)
      await call.session.close()
      expectEnded(call)
    }))

  it('[TL6] runs at most 64 tool calls of one answer', () =>
    inVirtualTime(async (world) => {
      let runs = 0
      const look = tool({ description: 'Look', run: () => void runs++ })
      const calls = Array.from({ length: 3_000 }, (_, index) => callTool('look', { index }))
      const call = await aLiveCall(world, { agent: { tools: { look } }, answers: [calls, 'Done.'] })
      call.caller.types('Look')
      await call.caller.hears('Done.')
      expect(runs).toBe(64)
      expect(call.session.history.items.filter(({ type }) => type === 'tool')).toHaveLength(64)
      await call.session.close()
    }))

  it('[TL5] runs at most 32 guardrails at once, and always checks the whole text in the end', () =>
    inVirtualTime(async (world) => {
      let running = 0
      let most = 0
      let last = ''
      const slow = async (text: string): Promise<void> => {
        most = Math.max(most, ++running)
        last = text
        await world.clock.elapse(5_000)
        running--
      }
      const text = 'Twenty letters here. '.repeat(200)
      const call = await aLiveCall(world, { agent: { guardrails: { output: { slow } } }, answers: [text] })
      call.session.reply()
      await world.clock.elapse(60_000)
      expect(most).toBeLessThanOrEqual(33)
      expect(last).toBe(text)
      await call.session.close()
    }))

  it('[FA6] ignores chunks of a model that are none', () =>
    inVirtualTime(async (world) => {
      const odd = [
        { type: 'thought' },
        { type: 'text' },
        { type: 'text', text: 7 },
        { type: 'tool-call', id: 1 },
      ] as never[]
      const call = await aLiveCall(world, { answers: [['Hello ', ...odd, 'there.']] })
      await call.session.reply().waitForPlayout()
      expect(call.line.heardText).toBe('Hello there.')
      expect(call.session.history.items).toHaveLength(1)
      await call.session.close()
    }))
})
