import { describe, expect, it } from 'vitest'
import type { CallInfo } from '../../../src/host/agent-file.ts'
import { DialStage, OURS, PERSON, pause } from './dial-stage.ts'

const GONE = 'the process that called is gone'

describe('a call out of one of several processes', () => {
  it('[DI5] is answered by whichever process gets its webhooks and its stream', async () => {
    await using stage = await DialStage.open()
    const person = stage.carrier.person(PERSON, { answersAfter: 50 })
    const infos: CallInfo[] = []
    const first = await stage.start()
    const second = await stage.start({ follow: (_, { info }) => void infos.push(info) })
    stage.lead(second)
    const { callsOut } = first.reception.entrance
    await callsOut.call({ to: PERSON, from: OURS, key: 'order 17', parameters: { order: '17' } })
    const report = await callsOut.active('order 17')!.report
    const [callee] = person.calls
    expect(report).toMatchObject({ outcome: 'answered', id: callee!.sid })
    await callee!.until(() => callee!.heardBytes > 0)
    expect(infos).toMatchObject([{ direction: 'outbound', to: PERSON, parameters: { order: '17' } }])
    const session = second.reception.session(callee!.sid)!
    callee!.hangUp()
    expect(await session.closed).toMatchObject({ reason: 'caller-hung-up', clean: true })
    expect(await stage.outcome('order 17')).toEqual({
      key: 'order 17',
      outcome: 'answered',
      id: callee!.sid,
    })
  })

  it('[DI5] has its outcome reported to the process that dials', async () => {
    await using stage = await DialStage.open()
    stage.carrier.person(PERSON, { outcome: 'busy', answersAfter: 50 })
    const [first, second] = [await stage.start(), await stage.start()]
    stage.lead(second)
    await stage.call(first, 'order 17')
    expect(await first.reception.entrance.callsOut.active('order 17')!.report).toMatchObject({
      outcome: 'busy',
    })
    expect(await stage.outcome('order 17')).toMatchObject({ outcome: 'busy' })
  })

  it('[DI4] never dials a key again that any process has dialled', async () => {
    await using stage = await DialStage.open()
    const person = stage.carrier.person(PERSON, { outcome: 'never' })
    const [first, second] = [await stage.start(), await stage.start()]
    stage.lead(first)
    const both = await Promise.all([stage.call(first, 'order 17'), stage.call(second, 'order 17')])
    expect(both).toEqual([{ key: 'order 17' }, { key: 'order 17' }])
    await stage.carrier.until(() => person.calls[0]?.state === 'ringing')
    const dialling = [first, second].filter((each) => each.reception.entrance.callsOut.active('order 17'))
    expect(dialling).toHaveLength(1)
    person.calls[0]!.hangUp()
    const { outcome } = await stage.outcome('order 17')
    expect(outcome).toBe('rejected')
    for (const each of [first, second])
      expect(await stage.call(each, 'order 17')).toMatchObject({ key: 'order 17', outcome })
    expect(person.calls).toHaveLength(1)
  })

  it('[DI4] is not made while the journal is away, and can be made afterwards', async () => {
    await using stage = await DialStage.open()
    const person = stage.carrier.person(PERSON, { outcome: 'busy', answersAfter: 10 })
    const first = await stage.start()
    stage.lead(first)
    stage.host.fails = true
    await expect(stage.call(first, 'order 17')).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
    expect(person.calls).toEqual([])
    stage.host.fails = false
    await stage.call(first, 'order 17')
    expect((await stage.outcome('order 17')).outcome).toBe('busy')
  })

  it('[DI4] that is refused leaves its key free', async () => {
    await using stage = await DialStage.open()
    stage.carrier.person(PERSON, { outcome: 'busy', answersAfter: 10 })
    const [first, second] = [await stage.start(), await stage.start()]
    stage.lead(second)
    // The process begins to drain while the journal answers.
    const refused = stage.call(first, 'order 17')
    first.reception.entrance.drain()
    await expect(refused).rejects.toMatchObject({ code: 'DIAL_CLOSED' })
    await stage.call(second, 'order 17')
    expect((await stage.outcome('order 17')).outcome).toBe('busy')
  })

  it('[DI5] is ended when somebody answers after its process was killed, and is never dialled again', async () => {
    await using stage = await DialStage.open()
    const person = stage.carrier.person(PERSON, { outcome: 'never' })
    const [first, second] = [await stage.start(), await stage.start()]
    stage.lead(first)
    await stage.call(first, 'order 17')
    await stage.carrier.until(() => person.calls[0]?.state === 'ringing')
    const [callee] = person.calls
    await first.die(stage.host)
    stage.lead(second)
    expect(await stage.outcome('order 17')).toMatchObject({ outcome: 'unknown', why: GONE })
    callee!.answers()
    await callee!.gone()
    expect(await stage.outcome('order 17')).toEqual({
      key: 'order 17',
      outcome: 'cancelled',
      id: callee!.sid,
      why: GONE,
    })
    expect(second.reception.size).toBe(0)
    expect(await stage.call(second, 'order 17')).toMatchObject({ outcome: 'cancelled' })
    expect(person.calls).toHaveLength(1)
  })

  it('[DI5] is unknown if its process was killed, until a late webhook says how it ended', async () => {
    await using stage = await DialStage.open()
    stage.carrier.callbacks = {
      loses: ({ CallStatus = '' }) => ['initiated', 'ringing'].includes(CallStatus),
    }
    const person = stage.carrier.person(PERSON, { outcome: 'never' })
    const [first, second] = [await stage.start(), await stage.start()]
    await stage.call(first, 'order 17')
    await stage.carrier.until(() => person.calls[0]?.state === 'ringing')
    await first.die(stage.host)
    stage.lead(second)
    expect(await stage.call(second, 'order 17')).toEqual({ key: 'order 17', outcome: 'unknown', why: GONE })
    person.calls[0]!.hangUp()
    await until(async () => (await stage.outcome('order 17')).outcome !== 'unknown')
    const { sid } = person.calls[0]!
    expect(await stage.call(second, 'order 17')).toEqual({ key: 'order 17', outcome: 'rejected', id: sid })
    expect(person.calls).toHaveLength(1)
  })

  it('[DI5] is ended at the carrier if it rings although its process was killed', async () => {
    await using stage = await DialStage.open()
    const [first, second] = [await stage.start(), await stage.start()]
    // Before its first webhook.
    let died = Promise.resolve()
    const person = stage.carrier.person(PERSON, {
      outcome: 'never',
      onEvent: ({ type }) => {
        if (type === 'initiated') died = first.die(stage.host)
      },
    })
    stage.lead(second)
    await stage.call(first, 'order 17')
    await stage.carrier.until(() => person.calls.length === 1)
    await person.calls[0]!.gone()
    await died
    expect(await stage.outcome('order 17')).toMatchObject({ outcome: 'cancelled', why: GONE })
    expect(stage.carrier.live).toEqual([])
  })

  it('[DI6] is cancelled when its host drains, queued or ringing, and the journal says so', async () => {
    await using stage = await DialStage.open()
    const person = stage.carrier.person(PERSON, { outcome: 'never' })
    const first = await stage.start({ phone: { ...stage.phone, maxDials: 1 } })
    stage.lead(first)
    await stage.call(first, 'rings')
    await stage.call(first, 'waits')
    await stage.carrier.until(() => person.calls[0]?.state === 'ringing')
    expect(first.reception.entrance.occupied).toBe(1)
    first.reception.entrance.drain()
    await expect(stage.call(first, 'another')).rejects.toMatchObject({ code: 'DIAL_CLOSED' })
    for (const key of ['rings', 'waits'])
      expect(await stage.outcome(key)).toMatchObject({ outcome: 'cancelled', why: 'the host drains' })
    expect([person.calls.length, stage.carrier.live.length]).toEqual([1, 0])
    await until(async () => first.reception.entrance.occupied === 0)
  })
})

describe('a recording at the carrier', () => {
  it('[RC2] is in the report of its call, whichever process hears of it, also if the journal was away', async () => {
    await using stage = await DialStage.open()
    const logged: string[] = []
    const log = (...line: unknown[]): void => void logged.push(JSON.stringify(line))
    const logger = { debug: log, info: log, warn: log, error: log }
    const phone = { ...stage.phone, record: true }
    const [first, second] = [await stage.start({ phone, logger }), await stage.start({ phone, logger })]
    stage.lead(first)
    const caller = stage.carrier.call(`${stage.phone.publicUrl}/phone/answer`)
    await caller.until(() => caller.heardBytes > 0)
    const session = first.reception.session(caller.sid)!
    stage.lead(second)
    // The journal is away when the recording is ready.
    stage.host.fails = true
    caller.hangUp()
    await session.closed
    const heard = (): boolean => logged.some((line) => line.includes('the carrier has recorded a call'))
    await until(async () => heard())
    stage.host.fails = false
    const report = async () => stage.host.journal.report(caller.sid)
    await until(async () => ((await report())?.recordings?.length ?? 0) > 0)
    const [recording] = (await report())!.recordings!
    expect(recording).toEqual({ place: expect.stringMatching(/^https:.*RE/) as string, complete: true })
    expect(logged.join('\n')).not.toContain(recording!.place)
  })
})

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause()
}
