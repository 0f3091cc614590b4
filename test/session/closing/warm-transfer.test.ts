import { describe, expect, it } from 'vitest'
import type { TransferOutcome, TransferRequest } from '../../../src/parts/index.ts'
import { Agent, type TransferOptions } from '../../../src/session/index.ts'
import { TestLine, callTool, inVirtualTime, type LlmAnswer, type World } from '../../../src/testing/index.ts'
import { aLiveCall, aPromise, expectEnded, never, said, type Call } from '../fixture.ts'

const to = '+4930123456'

interface Scene {
  readonly call: Call
  /** The line of the person. */
  readonly person: TestLine
  /** Resolves when the person can hear something. */
  readonly answered: Promise<void>
  readonly outcome: Promise<TransferOutcome>
  /** What the person decided, once that is known. */
  readonly decision: () => string | undefined
}

/** A caller is transferred to a person who answers after a second. On `join`, the line connects the two 500 ms later. */
async function aWarmTransfer(
  world: World,
  answers: readonly LlmAnswer[],
  options: Partial<TransferOptions> = {},
  join: (request: TransferRequest) => TransferOutcome = () => 'answered',
): Promise<Scene> {
  const { clock } = world
  const person = new TestLine()
  let decision: string | undefined
  const { promise: answered, resolve: answer } = aPromise()
  const call = await aLiveCall(world, {
    answers: ['Of course. ', ...answers],
    agent: { instructions: 'You work for Bright Dental.' },
    line: {
      transfer: async (request) => {
        await clock.elapse(1_000)
        const deciding = request.consult!(person).catch((error: Error) => error.message)
        await clock.elapse(10)
        answer()
        decision = await deciding
        if (decision !== 'join') return decision === 'decline' ? 'declined' : 'failed'
        await clock.elapse(500)
        return join(request)
      },
    },
  })
  call.caller.types('I want to talk to a person about my bill.')
  await call.caller.hears('Of course.')
  const outcome = call.session.transfer({
    to,
    how: 'warm',
    say: 'One moment.',
    sorry: 'That did not work.',
    ...options,
  })
  return { call, person, answered, outcome, decision: () => decision }
}

/** Lets the person hear a text, then say something. */
async function personSays({ person, answered }: Scene, heard: string, words: string): Promise<void> {
  await answered
  await person.caller.hears(heard)
  await person.caller.says(words)
  await person.caller.pauses(2_000)
}

const summary = 'I have a caller with a question about a bill. Do you take the call?'

describe('a warm transfer', () => {
  it('[TR4] connects the two once the person has accepted, and its report has both conversations', () =>
    inVirtualTime(async (world) => {
      const scene = await aWarmTransfer(world, [['Thank you. ', callTool('accept_call')]], { summary })
      const { call, person } = scene
      await personSays(scene, summary, 'Yes, put her through.')
      expect(await scene.outcome).toBe('answered')
      const report = await call.session.closed
      expect(report).toMatchObject({ reason: 'transferred', clean: true })
      const [transfer] = report.transfers!
      expect(transfer).toMatchObject({ to, outcome: 'answered' })
      expect(transfer!.consultation).toMatchObject({ reason: 'transferred', clean: true, errors: [] })
      const heard = transfer!.consultation!.transcript.map((item) =>
        item.type === 'message' ? `${item.role}: ${item.text}` : item.type,
      )
      expect(heard).toEqual([
        `agent: ${summary}`,
        'user: Yes, put her through.',
        'agent: Thank you. ',
        'tool',
      ])
      expect(said(call.session)).toEqual([
        'user: I want to talk to a person about my bill.',
        'agent: Of course. ',
        'agent: One moment.',
      ])
      // The model is asked once for the caller, and once for the person: its use is counted here.
      expect(call.llm.requests).toHaveLength(2)
      expect(person.counts.live).toBe(0)
      expectEnded(call)
    }))

  it('[TR4] lets the model say what it knows, if there is no summary', () =>
    inVirtualTime(async (world) => {
      const scene = await aWarmTransfer(world, ['A caller with a bill. Now?', [callTool('accept_call')]])
      await personSays(scene, 'Now?', 'Yes.')
      expect(await scene.outcome).toBe('answered')
      const asked = JSON.stringify(scene.call.llm.requests[1])
      expect(asked).toContain('You work for Bright Dental.')
      expect(asked).toContain('Caller: I want to talk to a person about my bill.')
      expect(asked).toContain('You: Of course.')
      await scene.call.session.closed
      expectEnded(scene.call)
    }))

  it('[TR4] that is declined brings the caller back, who learns so', () =>
    inVirtualTime(async (world) => {
      const scene = await aWarmTransfer(world, [['A pity. ', callTool('decline_call')], 'Yes?'], { summary })
      const { call, person } = scene
      await personSays(scene, summary, 'No, I am busy.')
      expect(await scene.outcome).toBe('declined')
      expect(person.heardText).toContain('A pity.')
      await call.caller.hears('That did not work.')
      call.caller.types('Hello?')
      await call.caller.hears('Yes?')
      const report = await call.session.close()
      expect(report.transfers).toMatchObject([
        { outcome: 'declined', consultation: { reason: 'agent-hung-up' } },
      ])
      expectEnded(call)
    }))

  it.each([
    ['hangs up', (scene: Scene) => scene.person.caller.hangsUp(), 'caller-hung-up'],
    ['says nothing for too long', (): void => {}, 'max-duration'],
  ] as const)('[TR4] to a person who %s brings the caller back', (_, act, reason) =>
    inVirtualTime(async (world) => {
      const scene = await aWarmTransfer(world, [], { summary, consultTimeout: 20_000 })
      await scene.answered
      await scene.person.caller.hears(summary)
      act(scene)
      expect(await scene.outcome).toBe('declined')
      await scene.call.caller.hears('That did not work.')
      const report = await scene.call.session.close()
      expect(report.transfers).toMatchObject([{ consultation: { reason } }])
      expectEnded(scene.call)
    }),
  )

  it('[TR4] brings the caller back if the person has accepted and the line cannot connect the two', () =>
    inVirtualTime(async (world) => {
      const scene = await aWarmTransfer(world, [[callTool('accept_call')]], { summary }, () => 'failed')
      await personSays(scene, summary, 'Yes.')
      expect(await scene.outcome).toBe('failed')
      await scene.call.caller.hears('That did not work.')
      expect(scene.person.counts.live).toBe(0)
      const report = await scene.call.session.close()
      expect(report.transfers).toMatchObject([{ outcome: 'failed', consultation: { reason: 'requested' } }])
      expectEnded(scene.call)
    }))

  it('[TR4] plays music to the caller, who is not heard, and whom the person does not hear', () =>
    inVirtualTime(async (world) => {
      const scene = await aWarmTransfer(world, ['Pardon?', [callTool('decline_call')], 'Yes?'], { summary })
      const { call, person } = scene
      await call.caller.hears('One moment.')
      const from = world.clock.now()
      await scene.answered
      await person.caller.hears(summary)
      await call.caller.says('Hello? Is anybody there?')
      await world.clock.elapse(3_000)
      const music = call.line.heard.filter(({ at }) => at >= from).reduce((sum, { heard }) => sum + heard, 0)
      expect(music).toBeGreaterThan((world.clock.now() - from) * 0.9)
      expect(said(call.session)).toHaveLength(3)
      await personSays(scene, summary, 'Who?')
      await personSays(scene, 'Pardon?', 'No.')
      expect(await scene.outcome).toBe('declined')
      await call.session.close()
      expectEnded(call)
    }))

  it('[TR5] ends with the session, whenever that is closed, and the person is not left alone', () =>
    inVirtualTime(async (world) => {
      for (const moment of [0, 500, 1_200, 3_000, 8_000, 9_000]) {
        const scene = await aWarmTransfer(world, [[callTool('accept_call')]], { summary }, () => 'answered')
        const { call, person, outcome } = scene
        outcome.catch(() => {})
        const talking = personSays(scene, summary, 'Yes.').catch(() => {})
        await world.clock.elapse(moment)
        const report = await call.session.close()
        expect(report.took).toBeLessThan(1_000)
        expect(person.counts.live).toBe(0)
        expect(report.transfers?.length ?? 0).toBe(moment > 800 ? 1 : 0)
        expectEnded(call)
        if (moment > 2_000) await talking
      }
    }))

  it.each(['answered', 'failed'] as const)(
    '[TR5] is waited for by a graceful end, also if it is %s',
    (joined) =>
      inVirtualTime(async (world) => {
        const scene = await aWarmTransfer(world, [[callTool('accept_call')]], { summary }, () => joined)
        const { call, person, answered, outcome } = scene
        await answered
        const draining = call.session.drain()
        await person.caller.hears(summary)
        // Longer than anything else may be stuck.
        await world.clock.elapse(30_000)
        await person.caller.says('Yes.')
        await person.caller.pauses(2_000)
        expect(await outcome).toBe(joined)
        const report = await draining
        expect(report).toMatchObject({ reason: 'requested', clean: true, transfers: [{ outcome: joined }] })
        expect(person.counts.live).toBe(0)
        if (joined === 'failed') expect(call.line.heardText).toContain('That did not work.')
        expectEnded(call)
      }),
  )

  it('[TR5] has an outcome although the line never reports one, and the caller is not given up', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: ['Yes?'], line: { transfer: () => never() } })
      const outcome = call.session.transfer({ to, how: 'warm', ringTimeout: 10_000, consultTimeout: 10_000 })
      await world.clock.elapse(171_000)
      expect(await outcome).toBe('failed')
      call.caller.types('Hello?')
      await call.caller.hears('Yes?')
      await call.session.close()
      expectEnded(call)
    }))

  it('[TR4] may be led by an agent of your own, which gets the tools to decide', () =>
    inVirtualTime(async (world) => {
      const agent = new Agent({
        name: 'whisper',
        instructions: 'You talk to a dentist.',
        onEnter: ({ session }) => session.say('Doctor?'),
      })
      const scene = await aWarmTransfer(world, [[callTool('accept_call')]], { agent })
      await personSays(scene, 'Doctor?', 'Yes.')
      expect(await scene.outcome).toBe('answered')
      expect(JSON.stringify(scene.call.llm.requests[1])).toContain('You talk to a dentist.')
      await scene.call.session.closed
    }))

  it('[TR4] whose conversation fails brings the caller back, and the report says why', () =>
    inVirtualTime(async (world) => {
      const scene = await aWarmTransfer(world, [], {
        agent: new Agent({
          instructions: '',
          toolsets: [{ name: 'crm', open: () => Promise.reject(new Error('the CRM is away')) }],
        }),
      })
      expect(await scene.outcome).toBe('failed')
      expect(scene.decision()).toContain('the CRM is away')
      await scene.call.caller.hears('That did not work.')
      const report = await scene.call.session.close()
      expect(report).toMatchObject({
        clean: false,
        transfers: [{ consultation: { reason: 'start-failed' } }],
      })
    }))

  it('[TR4] is refused at once if it makes no sense', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { line: { transfer: () => never() } })
      const bad = [
        { how: 'lukewarm' },
        { how: 'warm', agent: { name: 'x', instructions: '' } },
        { how: 'warm', summary: 5 },
        { how: 'warm', consultTimeout: 0 },
        { how: 'warm', consultTimeout: 1e9 },
      ]
      for (const options of bad)
        await expect(
          call.session.transfer({ to, ...options } as unknown as TransferOptions),
        ).rejects.toMatchObject({ code: 'BAD_OPTION' })
      await call.session.close()
      const other = await aLiveCall(world)
      await expect(other.session.transfer({ to, how: 'warm' })).rejects.toMatchObject({
        code: 'TRANSFER_UNSUPPORTED',
      })
      await other.session.close()
      expectEnded(other)
    }))
})
