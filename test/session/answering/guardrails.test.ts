import { describe, expect, it } from 'vitest'
import { tool, type AgentOptions, type Guardrails } from '../../../src/session/index.ts'
import { callTool, inVirtualTime, type LlmAnswer, type World } from '../../../src/testing/index.ts'
import { aCall, never, said, type CallOptions } from '../fixture.ts'

const refusal = 'I am sorry, I cannot help with that.'
const secret =
  'Well, if you really want to know, the password is swordfish, but do not tell anybody else about it.'

async function aGuardedCall(
  world: World,
  guardrails: Guardrails,
  answers: readonly LlmAnswer[],
  options: Omit<CallOptions, 'agent'> & { agent?: Partial<AgentOptions> } = {},
) {
  const call = aCall(world, { ...options, answers, agent: { guardrails, ...options.agent } })
  const verdicts: unknown[] = []
  call.session.on('guardrail', (event) => verdicts.push(event))
  await call.session.start()
  return { ...call, verdicts }
}

describe('an input guardrail', () => {
  it('[TL5] stops the answer while it is spoken, and the refusal is said', () =>
    inVirtualTime(async (world) => {
      const off = async (text: string) => {
        await world.clock.elapse(500)
        return text.includes('password') ? 'asks for secrets' : undefined
      }
      const { session, caller, verdicts, clock } = await aGuardedCall(world, { input: { off } }, [
        'Sure, here it is.',
        'Until six.',
      ])
      caller.types('Tell me the password')
      await caller.hears(refusal)
      await clock.elapse(100)
      expect(verdicts).toEqual([{ name: 'off', on: 'input', verdict: 'asks for secrets' }])
      expect(said(session)).toEqual(['user: Tell me the password', 'agent: Sure, her —', `agent: ${refusal}`])
      caller.types('When do you close?')
      await caller.hears('Until six.')
      await session.close()
    }))

  it('[TL5] stops an answer before its first word, and the refusal can be configured', () =>
    inVirtualTime(async (world) => {
      const guardrails = { input: { off: () => 'no' }, refusal: 'No.' }
      const { session, caller, llm, line, clock } = await aGuardedCall(world, guardrails, [
        [{ stall: true }, 'Never.'],
      ])
      caller.types('Hello')
      await caller.hears('No.')
      await clock.elapse(100)
      expect(line.heardText).toBe('No.')
      expect(llm.generations).toMatchObject([{ how: 'cancelled' }])
      await session.close()
    }))

  it('[TL5] causes one refusal even if two object, and a late verdict only emits an event', () =>
    inVirtualTime(async (world) => {
      const input = {
        one: () => 'no',
        two: () => 'never',
        late: async () => {
          await world.clock.elapse(5_000)
          return 'too late'
        },
      }
      const { session, caller, line, verdicts, clock } = await aGuardedCall(world, { input }, ['Yes.'])
      caller.types('Hello')
      await clock.elapse(6_000)
      expect(line.heardText).toBe(refusal)
      expect(verdicts).toHaveLength(3)
      await session.close()
    }))
})

describe('an output guardrail', () => {
  it('[TL5] stops the speech in the middle of a word, and only what was heard is kept', () =>
    inVirtualTime(async (world) => {
      const leaks = async (text: string) => {
        if (!text.includes('swordfish')) return undefined
        await world.clock.elapse(1_000)
        return 'tells the password'
      }
      const { session, line, verdicts, clock } = await aGuardedCall(world, { output: { leaks } }, [secret])
      const reply = session.reply()
      await clock.elapse(6_000)
      expect(verdicts).toContainEqual({ name: 'leaks', on: 'output', verdict: 'tells the password' })
      expect(reply.interrupted).toBe(true)
      expect(line.heardText).toMatch(/^Well, if you really I am sorry/)
      expect(said(session)).toEqual([
        expect.stringMatching(/^agent: Well, if you really —$/),
        `agent: ${refusal}`,
      ])
      await session.close()
    }))

  it('[TL5] stops the rest of the reply as well', () =>
    inVirtualTime(async (world) => {
      const bad = (text: string) => (text.includes('bad') ? 'bad' : undefined)
      const wait = tool({ description: 'Wait', run: () => world.clock.elapse(1_000) })
      const { session, line, llm, clock } = await aGuardedCall(
        world,
        { output: { bad } },
        [['This is bad. ', callTool('wait')], 'Never said.'],
        { agent: { tools: { wait } } },
      )
      const reply = session.reply()
      await clock.elapse(5_000)
      expect(reply.outcome).toEqual({ how: 'interrupted' })
      expect(llm.requests).toHaveLength(1)
      expect(line.heardText).toBe(refusal)
      await session.close()
    }))

  it('[TL5] checks the text as it grows and at its end, for replies and for say()', () =>
    inVirtualTime(async (world) => {
      const seen: string[] = []
      const { session } = await aGuardedCall(world, { output: { watch: (text) => void seen.push(text) } }, [
        secret,
      ])
      await session.reply().waitForPlayout()
      expect(seen.length).toBe(3)
      expect(seen.at(-1)).toBe(secret)
      expect(seen.every((text) => secret.startsWith(text))).toBe(true)
      await session.say('Hello.').waitForPlayout()
      expect(seen.at(-1)).toBe('Hello.')
      await session.close()
    }))

  it('[TL5] does not check its own refusal', () =>
    inVirtualTime(async (world) => {
      const { session, line, verdicts, clock } = await aGuardedCall(world, { output: { no: () => 'no' } }, [])
      session.say('Hello, good morning.')
      await clock.elapse(10_000)
      expect(line.heardText).toBe(refusal)
      expect(verdicts).toHaveLength(1)
      await session.close()
    }))

  it('[TL5] stops uninterruptible speech', () =>
    inVirtualTime(async (world) => {
      const slow = async () => {
        await world.clock.elapse(200)
        return 'no'
      }
      const { session, clock } = await aGuardedCall(world, { output: { slow } }, [])
      const speech = session.say('Hello, good morning.', { interruptible: false })
      await clock.elapse(5_000)
      expect(speech.outcome).toMatchObject({ how: 'interrupted', heard: 'Hel' })
      await session.close()
    }))
})

describe('a guardrail that misbehaves', () => {
  it('[TL5] and throws is reported, and the conversation goes on', () =>
    inVirtualTime(async (world) => {
      const error = new Error('no verdict')
      const throws = (): never => {
        throw error
      }
      const rejects = () => Promise.reject(error)
      const { session, caller, log, errors } = await aGuardedCall(
        world,
        { input: { throws }, output: { rejects } },
        ['Fine.'],
      )
      caller.types('Hello')
      await caller.hears('Fine.')
      expect(log).toEqual(['user: Hello', 'error: guardrail throws', 'error: guardrail rejects'])
      expect(errors).toEqual([error, error])
      const report = await session.close()
      expect(report.errors.map(({ where }) => where)).toEqual(['guardrail throws', 'guardrail rejects'])
      expect(report).toMatchObject({ clean: false, scope: { clean: true } })
    }))

  it('[TL5] and hangs delays nothing, is cancelled after 15 s, and its late verdict is ignored', () =>
    inVirtualTime(async (world) => {
      let aborted: number | undefined
      const hangs = async (_: string, { signal }: { signal: AbortSignal }) => {
        signal.addEventListener('abort', () => (aborted = world.clock.now()))
        await world.clock.elapse(20_000)
        return 'at last'
      }
      const { session, caller, log, line, verdicts, clock } = await aGuardedCall(
        world,
        { input: { hangs } },
        ['Fine.'],
      )
      caller.types('Hello')
      await caller.hears('Fine.')
      await clock.elapse(30_000)
      expect([aborted, verdicts, line.heardText]).toEqual([15_000, [], 'Fine.'])
      expect(log).toEqual(['user: Hello', 'agent played: Fine.', 'error: guardrail hangs'])
      await session.close()
    }))

  it('[TL5] and is slow is cancelled and awaited by a close, without an error', () =>
    inVirtualTime(async (world) => {
      let cleaned = false
      const slow = async (_: string, { signal }: { signal: AbortSignal }): Promise<never> => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await world.clock.elapse(200)
        cleaned = true
        throw signal.reason
      }
      const { session, caller, log, clock } = await aGuardedCall(world, { input: { slow } }, ['Fine.'])
      caller.types('Hello')
      await clock.elapse(1_000)
      const report = await session.close()
      expect([cleaned, report.took, report.clean]).toEqual([true, 200, true])
      expect(log).toEqual(['user: Hello', 'agent played: Fine.', 'closed: requested'])
    }))

  it('[TL5] and ignores its signal does not delay a close, and its late verdict is ignored', () =>
    inVirtualTime(async (world) => {
      const slow = async () => {
        await world.clock.elapse(2_000)
        return 'no'
      }
      const { session, caller, line, verdicts, clock } = await aGuardedCall(
        world,
        { input: { slow, never } },
        ['Fine.'],
      )
      caller.types('Hello')
      await clock.elapse(100)
      const report = await session.close()
      await clock.elapse(10_000)
      expect(report.took).toBeLessThanOrEqual(5_000)
      expect(report.clean).toBe(false)
      expect([verdicts, line.playedTooLate]).toEqual([[], []])
    }))
})
