import { describe, expect, it } from 'vitest'
import { TwilioCalls } from '../../src/lines/twilio/index.ts'
import { Scope } from '../../src/scope/index.ts'
import type { RestRequest, TwilioCall, TwilioCallEvent } from '../../src/testing/servers/index.ts'
import { carrierScene, type CarrierScene, type CarrierSceneOptions } from './carrier-scene.ts'
import { lineOf } from './phone-scene.ts'

const DESK = '+4930123456'
const OURS = '+15550100'
const KEYS = '1W2#'
const pressed = { how: 'played', confirmed: true, keys: KEYS }
const notPressed = { how: 'failed', keys: '', error: { code: 'KEYS_NOT_PRESSED' } }

/** The keys that a phone has heard, in order. */
const heardKeys = ({ events }: TwilioCall): string =>
  events.map((event) => (event.type === 'hears-keys' ? event.digits : '')).join('')

/** Whether the agent can still be heard. */
async function expectHeard({ session, caller }: Pick<Talk, 'session' | 'caller'>): Promise<void> {
  const before = caller.heardBytes
  expect(await session.say('Are you there?').waitForPlayout()).toMatchObject({ how: 'played' })
  expect(caller.heardBytes).toBeGreaterThan(before)
}

type Talk = CarrierScene & Awaited<ReturnType<CarrierScene['talk']>>

/** A caller who talks to an agent whose keys are pressed by the carrier. */
function keyScene(
  play: (scene: Talk) => Promise<void>,
  options: CarrierSceneOptions & { readonly caller?: Parameters<CarrierScene['talk']>[0] } = {},
): Promise<void> {
  const { caller: callerOptions, ...sceneOptions } = options
  return carrierScene(
    async (scene) => {
      const statusCallback = 'http://localhost:3000/phone/status'
      const talk = await scene.talk({ statusCallback, ...callerOptions })
      await play({ ...scene, ...talk })
      if (!talk.caller.over) talk.caller.hangUp()
      await talk.session.closed
      await scene.clock.elapse(20_000)
      expect([scene.carrier.live, scene.calls.size, scene.sessions.length]).toEqual([[], 0, 1])
    },
    { keys: 'carrier', application: '12', ...sceneOptions },
  )
}

describe.each(['twilio', 'telnyx'] as const)('keys that %s presses', (dialect) => {
  it('[KY9] are heard as keys, and the call goes on', () =>
    keyScene(
      async (scene) => {
        const { session, caller, reports } = scene
        const words = session.say('One moment.')
        const pressing = session.press(KEYS)
        const after = session.say('Done.')
        expect(await pressing).toEqual(pressed)
        await words.waitForPlayout()
        expect(await after.waitForPlayout()).toMatchObject({ how: 'played', confirmed: true })
        expect(heardKeys(caller)).toBe('12#')
        expect(await session.press('5')).toMatchObject({ how: 'played', keys: '5' })
        await expectHeard(scene)
        caller.hangUp()
        const report = await session.closed
        expect(report).toMatchObject({ reason: 'caller-hung-up', clean: true, errors: [] })
        expect(report.transcript.map((item) => ('keys' in item ? item.keys : item.type))).toEqual([
          'message',
          'message',
          KEYS,
          'message',
          '5',
          'message',
        ])
        expect(reports).toHaveLength(1)
      },
      { dialect },
    ))

  it('[KY9] are asked for by a call out', () =>
    carrierScene(
      async ({ calls, carrier, sessions, clock }) => {
        const menu = carrier.person(DESK)
        await calls.dial({ to: DESK, from: OURS, keys: 'carrier' }).report
        const [callee] = menu.calls
        await callee!.listens(200)
        expect(await sessions[0]!.press('42')).toMatchObject({ how: 'played', keys: '42' })
        expect(heardKeys(callee!)).toBe('42')
        await sessions[0]!.close()
        await clock.elapse(1_000)
        expect(carrier.live).toEqual([])
      },
      { dialect, application: '12', beginsWith: 'stream' },
    ))

  it('[KY9] are not pressed if the carrier refuses, and the call goes on', () =>
    keyScene(
      async (scene) => {
        const { session, caller, carrier } = scene
        carrier.rest.manners = { status: 400 }
        const outcome = await session.press(KEYS)
        expect(outcome).toMatchObject(notPressed)
        expect(String(outcome.error)).toMatch(/the carrier answers 400/)
        expect(carrier.rest.requests).toHaveLength(1)
        carrier.rest.manners = {}
        await expectHeard(scene)
        expect(heardKeys(caller)).toBe('')
        caller.hangUp()
        expect((await session.closed).errors).toMatchObject([
          { where: 'press', error: { code: 'KEYS_NOT_PRESSED' } },
        ])
      },
      { dialect },
    ))

  it('[KY9] are given up in bounded time if the carrier cannot be reached, and the call goes on', () =>
    keyScene(
      async (scene) => {
        const { session, caller, carrier, clock } = scene
        carrier.rest.manners = { delay: 'never' }
        const from = clock.now()
        expect(await session.press(KEYS)).toMatchObject(notPressed)
        expect(clock.now() - from).toBeLessThan(8_000)
        carrier.rest.manners = {}
        await expectHeard(scene)
        expect(heardKeys(caller)).toBe('')
      },
      { dialect },
    ))

  it.each([
    ['late', { answersAfter: 1_400 }],
    ['with an error', { answersWith: 500 }],
    ['not at all', { answersAfter: 'never' }],
  ] as const)('[KY9] are pressed once if the carrier answers %s', (_, manners) =>
    keyScene(
      async (scene) => {
        const { session, caller, carrier } = scene
        const requests = new Set<RestRequest>()
        // Telnyx is asked again, since it knows a request by its command_id.
        carrier.rest.manners = (request) => (requests.add(request).size === 1 ? manners : {})
        expect(await session.press(KEYS)).toEqual(pressed)
        carrier.rest.manners = {}
        expect(heardKeys(caller)).toBe('12#')
        await expectHeard(scene)
      },
      { dialect },
    ),
  )

  it('[KY9] are pressed before a transfer, and one after the other', () =>
    keyScene(
      async ({ session, caller, carrier, clock }) => {
        carrier.person(DESK, { outcome: 'busy' })
        const first = session.press('1')
        await clock.elapse(100)
        // By force, the session no longer waits for what the carrier does.
        session.interrupt({ force: true })
        expect(await session.press('2')).toMatchObject({ how: 'played', keys: '2' })
        expect(await first).toMatchObject({ how: 'interrupted' })
        expect(heardKeys(caller)).toBe('12')
        session.press('3').catch(() => {})
        await clock.elapse(100)
        session.interrupt({ force: true })
        expect(await session.transfer({ to: DESK })).toBe('busy')
        expect(heardKeys(caller)).toBe('123')
      },
      { dialect },
    ))

  it('[KY9] that find the call ended say so, and the session ends', () =>
    keyScene(
      async ({ session, caller, carrier }) => {
        // The caller hangs up, and nobody has said so yet.
        carrier.callbacks = { loses: 1 }
        caller.hangUp('silently')
        const press = session.press('1')
        expect((await session.closed).reason).toBe('caller-hung-up')
        expect(await press).toMatchObject({ keys: '' })
      },
      { dialect },
    ))

  it('[KY9] are not asked for again after a close', () =>
    keyScene(
      async ({ session, carrier, caller, clock }) => {
        const isPress = ({ body }: { readonly body: string }): boolean => body.includes('digits')
        carrier.rest.manners = (request) => (isPress(request) ? { status: 500 } : {})
        session.press(KEYS).catch(() => {})
        await clock.elapse(100)
        expect((await session.close()).clean).toBe(true)
        await caller.gone()
        await clock.elapse(10_000)
        expect(carrier.rest.requests.filter(isPress)).toHaveLength(1)
      },
      { dialect },
    ))

  it('[KY9] need credentials', async () => {
    await using scope = new Scope<string>('calls')
    const options = { scope, onCall: () => {}, carrier: dialect, keys: 'carrier' } as const
    expect(() => new TwilioCalls(options)).toThrow(/authToken/)
  })
})

describe('keys that a document presses', () => {
  it('[KY9] have the call back if the carrier redirects it long after it was asked', () =>
    keyScene(async (scene) => {
      const { session, caller, carrier, clock } = scene
      carrier.rest.manners = { answersAfter: 'never', redirectDelay: 6_000 }
      expect(await session.press(KEYS)).toMatchObject(notPressed)
      carrier.rest.manners = {}
      await clock.elapse(6_000)
      expect(heardKeys(caller)).toBe('12#')
      expect(session.state).toBe('live')
      await expectHeard(scene)
    }))

  it.each([
    ['after its answer', { redirectDelay: 2_000 }],
    ['before its answer', { answersAfter: 1_200 }],
  ] as const)('[KY9] are pressed if the carrier stops the stream %s', (_, manners) =>
    keyScene(async (scene) => {
      const { session, caller, carrier } = scene
      carrier.rest.manners = manners
      expect(await session.press(KEYS)).toEqual(pressed)
      carrier.rest.manners = {}
      expect(heardKeys(caller)).toBe('12#')
      await expectHeard(scene)
    }),
  )

  it.each(['without-stop', 'cut'] as const)(
    '[KY9] are pressed if the carrier leaves the stream: %s',
    (leaves) =>
      keyScene(
        async (scene) => {
          scene.carrier.rest.manners = { answersWith: 500 }
          expect(await scene.session.press(KEYS)).toEqual(pressed)
          scene.carrier.rest.manners = {}
          await expectHeard(scene)
        },
        { caller: { leaves } },
      ),
  )

  it('[KY9] have the carrier connect a call again that does not come back', () =>
    keyScene(
      async (scene) => {
        const { session, caller, clock } = scene
        const from = clock.now()
        const outcome = await session.press(KEYS)
        expect(outcome).toMatchObject(notPressed)
        expect(String(outcome.error)).toMatch(/did not come back/)
        expect(clock.now() - from).toBeLessThan(12_000)
        // They were pressed all the same: nobody can know.
        expect(heardKeys(caller)).toBe('12#')
        await expectHeard(scene)
      },
      { caller: { keysDelay: 'never' } },
    ))

  it('[KY9] end a call that does not come back, and that the carrier does not connect again', () =>
    keyScene(
      async ({ session, caller, carrier }) => {
        const press = session.press(KEYS)
        await caller.until(() => heardKeys(caller) === '12#')
        carrier.rest.manners = ({ body }) => (body.includes('Redirect') ? { down: true } : {})
        expect(await press).toMatchObject(notPressed)
        const report = await session.closed
        expect(report.reason).toBe('caller-lost')
        await caller.gone()
        expect(caller.endedBy).toBe('application-by-rest')
      },
      { caller: { keysDelay: 'never' } },
    ))

  it('[KY9] are reported once if the carrier reports them twice', () =>
    keyScene(async (scene) => {
      const { session, carrier, caller, clock } = scene
      expect(await session.press(KEYS)).toEqual(pressed)
      const again = await carrier.notify('http://localhost:3000/phone/keys', {
        CallSid: caller.sid,
        CallStatus: 'in-progress',
      })
      expect(JSON.stringify(again)).toContain('Stream')
      await clock.elapse(10_000)
      expect(session.state).toBe('live')
      await expectHeard(scene)
    }))

  it('[KY9] of a call that is not here end it', () =>
    keyScene(async ({ carrier }) => {
      const answer = await carrier.notify('http://localhost:3000/phone/keys', {
        CallSid: 'CA1',
        CallStatus: 'in-progress',
      })
      expect(JSON.stringify(answer)).toContain('Hangup')
    }))

  /** The events of a call while its keys are pressed. */
  const moments: readonly TwilioCallEvent['type'][] = [
    'redirected',
    'stream-ended',
    'hears-keys',
    'told-more',
    'connected',
    'started',
  ]

  /** Presses keys, and does something once, at an event of the call. */
  function atMoment(
    type: TwilioCallEvent['type'],
    act: (scene: Talk) => void,
    play: (scene: Talk) => Promise<void>,
  ): Promise<void> {
    let now: (() => void) | undefined
    return keyScene(
      async (scene) => {
        now = () => act(scene)
        scene.session.press(KEYS).catch(() => {})
        await play(scene)
        expect(now).toBeUndefined()
      },
      {
        caller: {
          onEvent: (event) => {
            if (event.type !== type || !now) return
            const acts = now
            now = undefined
            acts()
          },
        },
      },
    )
  }

  it.each(moments)('[KY9] are cut off by a close at the event %s, which ends the call', (moment) =>
    atMoment(
      moment,
      ({ session }) => void session.close().catch(() => {}),
      async ({ session, caller }) => {
        const report = await session.closed
        await caller.gone()
        expect(report).toMatchObject({ reason: 'requested', clean: true })
        expect(lineOf(report)).toMatchObject({ how: 'acknowledged' })
      },
    ),
  )

  it.each(moments)('[KY9] end with a caller who hangs up at the event %s', (moment) =>
    atMoment(
      moment,
      ({ caller }) => caller.hangUp(),
      async ({ session, caller }) => {
        expect((await session.closed).reason).toBe('caller-hung-up')
        await caller.gone()
      },
    ),
  )

  it.each(moments)('[KY9] end with a server that closes at the event %s', (moment) =>
    atMoment(
      moment,
      ({ scope }) => void scope.close(),
      async ({ session, scope, carrier }) => {
        await session.closed
        expect((await scope.close()).clean).toBe(true)
        expect(carrier.live).toEqual([])
      },
    ),
  )
})
