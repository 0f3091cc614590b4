import { describe, expect, it } from 'vitest'
import { FleetMember, type FleetMemberOptions } from '../../../src/host/fleet/fleet-member.ts'
import type { Journal, LostCall, Order } from '../../../src/host/journal/index.ts'
import { silentLogger } from '../../../src/parts/index.ts'
import { Scope, noop } from '../../../src/scope/index.ts'
import type { SessionReport } from '../../../src/session/index.ts'
import { SimRandom, inVirtualTime, type SimClock } from '../../../src/testing/index.ts'
import type { JournalFault } from '../../../src/testing/journal-fault.ts'
import { MemoryJournal } from '../../../src/testing/memory-journal.ts'
import { samples } from '../../../src/testing/journal-conformance/index.ts'

const { appends, message, newCall, opens, ownerOn, write } = samples

const LEASE = 15_000
const RESUME = { resume: { key: 'hash' } }

/** A host of a fleet, and what its member told it. */
class Member {
  readonly fleet: FleetMember
  readonly scope: Scope<string>
  readonly ids: string[] = []
  readonly orders: Order[] = []
  readonly adopted: LostCall[] = []
  readonly hungUp: string[] = []
  readonly reports: SessionReport[] = []
  /** What happened, in order. */
  readonly story: string[] = []
  /** What happens to its requests. */
  fault: (method: keyof Journal) => JournalFault | undefined = () => undefined
  hangUp: () => Promise<void> = async () => {}

  constructor(
    clock: SimClock,
    journal: MemoryJournal,
    name: string,
    options: Partial<FleetMemberOptions> = {},
  ) {
    this.scope = new Scope<string>(name, { clock })
    let count = 0
    this.fleet = new FleetMember({
      scope: this.scope,
      journal: journal.another({ clock, fault: (method) => this.fault(method) }),
      host: { name, version: '1', capacity: 10 },
      newId: () => `${name}${++count > 1 ? count : ''}`,
      random: new SimRandom(1),
      joined: (id) => {
        this.ids.push(id)
        this.story.push(`joined ${id}`)
      },
      ordered: (orders) => this.orders.push(...orders),
      drained: () => this.story.push('drained'),
      letGo: () => this.story.push('let go'),
      hangUp: (call) => {
        this.hungUp.push(call.id)
        return this.hangUp()
      },
      adopted: (calls) => this.adopted.push(...calls),
      closed: (report) => this.reports.push(report),
      logger: silentLogger,
      ...options,
    })
  }

  /** The process is killed, or the machine loses its power. */
  async kill(): Promise<void> {
    this.fault = () => 'hang'
    await this.scope.close()
  }
}

interface Stage {
  readonly clock: SimClock
  readonly journal: MemoryJournal
  readonly member: (name: string, options?: Partial<FleetMemberOptions>) => Promise<Member>
}

const staged = (play: (stage: Stage) => Promise<void>): Promise<void> =>
  inVirtualTime(async ({ clock }) => {
    const journal = new MemoryJournal({ clock })
    const members: Member[] = []
    await play({
      clock,
      journal,
      member: async (name, options) => {
        const member = new Member(clock, journal, name, options)
        members.push(member)
        await member.fleet.start()
        return member
      },
    })
    for (const { scope, fleet } of members) {
      await fleet.leave()
      await scope.close()
    }
  })

describe('a member of a fleet', () => {
  it('[HO4] knows what blocked the process of a call until the call has ended', () =>
    staged(async ({ clock, journal, member }) => {
      const { fleet, reports } = await member('a', { resumeWindow: 20_000 })
      await write(journal, opens(newCall('c1', { owner: ownerOn('a', 'w1'), ...RESUME })))
      await fleet.orphan('w1', 'blocked by loop (agent.ts:7)')
      expect(fleet.culpritOf('c1')).toBe('blocked by loop (agent.ts:7)')
      expect(fleet.culpritOf('c2')).toBeUndefined()
      await clock.elapse(21_000)
      expect(reports).toMatchObject([{ error: { message: 'blocked by loop (agent.ts:7)' } }])
      expect(fleet.culpritOf('c1')).toBeUndefined()
    }))

  it('[HO34] closes the calls that wait for their callers when it leaves a journal that no other host can open', () =>
    staged(async ({ journal, member }) => {
      const alone = await member('a', { isAlone: true, resumeWindow: 20_000 })
      await write(journal, opens(newCall('c1', { owner: ownerOn('a', 'w1'), ...RESUME })))
      await alone.fleet.orphan('w1')
      await alone.fleet.leave()
      expect(alone.reports).toMatchObject([{ id: 'c1', reason: 'host-lost' }])
    }))

  it('leaves the calls that wait for their callers to the other hosts', () =>
    staged(async ({ journal, member }) => {
      const { fleet, reports } = await member('a', { resumeWindow: 20_000 })
      await write(journal, opens(newCall('c1', { owner: ownerOn('a', 'w1'), ...RESUME })))
      await fleet.orphan('w1')
      await fleet.leave()
      expect(reports).toEqual([])
      expect(await journal.find('c1')).toMatchObject({ state: 'live' })
    }))

  it('[HO42] reports where a call was recorded whose process was killed', () =>
    staged(async ({ clock, journal, member }) => {
      const { fleet, reports } = await member('a')
      const resume = { recording: '/recordings/c1.wav' }
      await write(journal, opens(newCall('c1', { owner: ownerOn('a', 'w1'), resume })))
      await fleet.orphan('w1')
      await clock.elapse(60_000)
      expect(reports).toMatchObject([{ recordings: [{ place: '/recordings/c1.wav', complete: false }] }])
    }))

  it('joins, keeps its lease, and leaves', () =>
    staged(async ({ clock, journal, member }) => {
      const a = await member('a')
      expect([a.fleet.id, a.ids]).toEqual(['a', ['a']])
      await clock.elapse(10 * LEASE)
      expect((await journal.hosts())[0]).toMatchObject({ id: 'a', expired: false })
      await a.fleet.leave()
      expect(await journal.hosts()).toEqual([])
    }))

  it('keeps trying to join, under one id', () =>
    staged(async ({ clock, journal, member }) => {
      const faults: (JournalFault | undefined)[] = ['fail', 'lost', 'hang', { late: 9_000 }, undefined]
      const joined = member('a')
      const a = new Member(clock, journal, 'b')
      a.fault = () => faults.shift()
      await a.fleet.start()
      await joined
      expect((await journal.hosts()).map(({ id }) => id)).toEqual(['a', 'b'])
      await a.fleet.leave()
      await a.scope.close()
    }))

  it('gets each order once, and soon when it is woken', () =>
    staged(async ({ clock, journal, member }) => {
      const a = await member('a')
      await write(journal, opens(newCall('c1', { owner: ownerOn('a') })))
      await clock.elapse(2_000)
      await journal.order({ call: 'c1', order: 'close' })
      a.fleet.wake()
      await clock.elapse(1)
      expect(a.orders).toEqual([{ call: 'c1', order: 'close' }])
      await clock.elapse(LEASE)
      expect(a.orders).toHaveLength(1)
    }))

  it('gets the orders of a late answer', () =>
    staged(async ({ clock, journal, member }) => {
      const a = await member('a')
      await write(journal, opens(newCall('c1', { owner: ownerOn('a') })))
      await journal.order({ call: 'c1', order: 'drain' })
      a.fault = () => ({ late: 5_000 })
      await clock.elapse(10_000)
      expect(a.orders).toEqual([{ call: 'c1', order: 'drain' }])
    }))

  it('[HO5] [HO34] adopts the calls of a dead host, and closes each once its caller had time to come back', () =>
    staged(async ({ clock, journal, member }) => {
      const [a, b] = [await member('a'), await member('b')]
      const dead = await member('dead')
      await write(
        journal,
        opens(newCall('c1', { owner: ownerOn('dead'), ...RESUME, work: ['save'] })),
        opens(newCall('c2', { owner: ownerOn('dead') })),
        appends('c1', 1, message(1, 'hello')),
      )
      await clock.elapse(LEASE)
      await dead.kill()
      await clock.elapse(LEASE + 5_000)
      const adopted = [...a.adopted, ...b.adopted]
      expect(adopted.map(({ id }) => id).toSorted()).toEqual(['c1', 'c2'])
      // Nobody can come back to the second.
      expect([...a.hungUp, ...b.hungUp]).toEqual(['c2'])
      await clock.elapse(20_000)
      const reports = [...a.reports, ...b.reports]
      expect(reports.map(({ id, reason }) => [id, reason])).toEqual([
        ['c2', 'host-lost'],
        ['c1', 'host-lost'],
      ])
      expect(reports[1]?.transcript).toHaveLength(1)
      expect((await journal.work({}))[0]?.dueAt).toBeDefined()
      expect([...a.hungUp, ...b.hungUp]).toEqual(['c2', 'c1'])
    }))

  it('[HO34] hangs up no call that another process has taken over', () =>
    staged(async ({ clock, journal, member }) => {
      const a = await member('a')
      await write(journal, opens(newCall('c1', { owner: ownerOn('a'), ...RESUME })))
      expect(await a.fleet.orphan('w1')).toBe(1)
      await clock.elapse(10_000)
      await journal.take('c1', ownerOn('a', 'w2'))
      await clock.elapse(60_000)
      expect([a.hungUp, a.reports]).toEqual([[], []])
      expect(await journal.find('c1')).toMatchObject({ state: 'live', owner: { worker: 'w2' } })
    }))

  it('closes a call that is orphaned again while the journal refuses its first report', () =>
    staged(async ({ clock, journal, member }) => {
      const a = await member('a')
      await write(journal, opens(newCall('c1', { owner: ownerOn('a'), ...RESUME })))
      await a.fleet.orphan('w1')
      await journal.take('c1', ownerOn('a', 'w2'))
      a.fault = (method) => (method === 'write' ? { late: 1_000 } : undefined)
      await clock.elapse(20_500)
      await a.fleet.orphan('w2')
      await clock.elapse(25_000)
      expect(a.reports.map(({ id }) => id)).toEqual(['c1'])
    }))

  it('[HO4] names what blocked the worker in the reports of its calls', () =>
    staged(async ({ clock, journal, member }) => {
      const a = await member('a')
      await write(journal, opens(newCall('c1', { owner: ownerOn('a') })))
      await a.fleet.orphan('w1', 'blocked by spin (agent.ts:3)')
      await clock.elapse(1)
      expect(a.reports[0]?.error?.message).toBe('blocked by spin (agent.ts:3)')
    }))

  it('[HO34] finds a call that a worker opened just before it was killed', () =>
    staged(async ({ clock, journal, member }) => {
      const a = await member('a')
      expect(await a.fleet.orphan('w1')).toBe(0)
      await write(journal, opens(newCall('c1', { owner: ownerOn('a') })))
      let left = 1
      a.fault = (method) => (method === 'orphan' && left-- > 0 ? 'fail' : undefined)
      await clock.elapse(61_000)
      expect(a.reports.map(({ id }) => id)).toEqual(['c1'])
    }))

  it.each<JournalFault>(['lost', { late: 8_000 }])(
    '[HO34] finds the calls that the journal gave it in an answer with the fault %j',
    (fault) =>
      staged(async ({ clock, journal, member }) => {
        const a = await member('a')
        const dead = await member('dead')
        await write(journal, opens(newCall('c1', { owner: ownerOn('dead') })))
        await write(journal, opens(newCall('c2', { owner: ownerOn('a') })))
        await clock.elapse(LEASE)
        await dead.kill()
        let left = 2
        a.fault = (method) => ((method === 'adopt' || method === 'orphan') && left-- > 0 ? fault : undefined)
        a.fleet.orphan('w1').catch(noop)
        await clock.elapse(3 * LEASE)
        expect(a.reports.map(({ id }) => id).toSorted()).toEqual(['c1', 'c2'])
      }),
  )

  it('repeats a report until it is written, and hangs up once', () =>
    staged(async ({ clock, journal, member }) => {
      const a = await member('a')
      await write(journal, opens(newCall('c1', { owner: ownerOn('a') })))
      const faults: (JournalFault | undefined)[] = ['fail', 'hang', 'lost', undefined]
      a.fault = (method) => (method === 'write' ? faults.shift() : undefined)
      await a.fleet.orphan('w1')
      await clock.elapse(20_000)
      expect([a.hungUp, a.reports.length]).toEqual([['c1'], 1])
    }))

  it('goes on when a carrier fails or hangs', () =>
    staged(async ({ clock, journal, member }) => {
      const a = await member('a')
      const ids = Array.from({ length: 45 }, (_, index) => `c${index}`)
      await write(journal, ...ids.map((id) => opens(newCall(id, { owner: ownerOn('a') }))))
      let count = 0
      a.hangUp = () => (count++ % 2 === 0 ? new Promise(noop) : Promise.reject(new Error('no')))
      await a.fleet.orphan('w1')
      await clock.elapse(20_000)
      expect(a.hungUp).toHaveLength(45)
    }))

  it('[HO32] lets go before it joins again, when it was declared dead', () =>
    staged(async ({ clock, journal, member }) => {
      const [a, b] = [await member('a'), await member('b')]
      await write(journal, opens(newCall('c1', { owner: ownerOn('a') })))
      await clock.elapse(LEASE)
      a.fault = () => 'hang'
      await clock.elapse(LEASE + 5_000)
      expect(b.reports.map(({ id }) => id)).toEqual(['c1'])
      a.fault = () => undefined
      await clock.elapse(5_000)
      expect(a.story).toEqual(['joined a', 'let go', 'joined a2'])
      expect((await journal.hosts()).map(({ id }) => id)).toEqual(['b', 'a2'])
      expect(a.reports).toEqual([])
    }))

  it('[HO33] takes nobody for dead after an outage of the journal', () =>
    staged(async ({ clock, journal, member }) => {
      const members = [await member('a'), await member('b'), await member('c')]
      for (const { fleet } of members)
        await write(journal, opens(newCall(fleet.id, { owner: ownerOn(fleet.id) })))
      await clock.elapse(LEASE)
      for (const fault of ['fail', 'hang', 'lost'] as const) {
        for (const each of members) each.fault = () => fault
        await clock.elapse(60_000)
        for (const each of members) each.fault = () => undefined
        await clock.elapse(60_000)
      }
      expect(members.map(({ story }) => story)).toEqual([['joined a'], ['joined b'], ['joined c']])
      expect(await journal.list({ state: 'live' })).toHaveLength(3)
    }))

  it('[HO33] adopts after an outage what died in it', () =>
    staged(async ({ clock, journal, member }) => {
      const [a, b] = [await member('a'), await member('b')]
      await write(journal, opens(newCall('c1', { owner: ownerOn('b') })))
      await clock.elapse(LEASE)
      a.fault = b.fault = () => 'hang'
      await b.kill()
      await clock.elapse(60_000)
      a.fault = () => undefined
      await clock.elapse(LEASE + 5_000)
      expect(a.reports.map(({ id }) => id)).toEqual(['c1'])
    }))

  it('adopts at once if no other host can open the journal', () =>
    staged(async ({ clock, journal, member }) => {
      await write(journal, opens(newCall('c1', { owner: ownerOn('before the crash') })))
      const a = await member('a', { isAlone: true })
      await clock.elapse(1)
      expect(a.reports.map(({ id }) => id)).toEqual(['c1'])
    }))

  it('leaves within a bound when the journal or a carrier hangs, and while it joins', () =>
    staged(async ({ clock, journal, member }) => {
      const a = await member('a')
      await write(journal, opens(newCall('c1', { owner: ownerOn('a') })))
      a.hangUp = () => new Promise(noop)
      await a.fleet.orphan('w1')
      a.fault = () => 'hang'
      const began = clock.now()
      await a.fleet.leave()
      expect(clock.now() - began).toBeLessThanOrEqual(5_000)
      const b = new Member(clock, journal, 'b')
      b.fault = () => ({ late: 1_000 })
      b.fleet.start().catch(noop)
      await b.fleet.leave()
      await clock.elapse(5_000)
      expect(b.ids).toEqual([])
      await b.scope.close()
    }))
})
