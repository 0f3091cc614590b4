import { createServer } from 'node:net'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { noop, systemClock } from '../../../src/scope/index.ts'
import { inVirtualTime, type SimClock } from '../../../src/testing/index.ts'
import { MemoryJournal } from '../../../src/testing/memory-journal.ts'
import { samples } from '../../../src/testing/journal-conformance/index.ts'
import { Directory, hostAndPort } from '../../../src/host/fleet/directory.ts'

const { closes, joinAs, newCall, opens, write } = samples

const own = { host: 'h1', worker: 'w1', address: '10.0.0.1:1' }
const other = { host: 'h2', worker: 'w1', address: '10.0.0.2:2' }

async function stage(clock: SimClock, reachable: readonly string[] = []) {
  const journal = new MemoryJournal({ clock })
  await joinAs(journal, 'h1')
  await joinAs(journal, 'h2', 15_000)
  const reaches = async (address: string): Promise<boolean> => reachable.includes(address)
  const directory = new Directory({ clock, journal, own: () => own, reaches })
  return { journal, directory }
}

describe('a directory', () => {
  it('knows calls of this process, ended calls, and no others', () =>
    inVirtualTime(async ({ clock }) => {
      const { journal, directory } = await stage(clock)
      await write(journal, opens(newCall('mine', { owner: own })), opens(newCall('old', { owner: other })))
      await write(journal, closes('old', 1))
      expect(await directory.place('mine')).toEqual({ where: 'here' })
      expect(await directory.place('old')).toEqual({ where: 'ended' })
      expect(await directory.place('none')).toEqual({ where: 'unknown' })
    }))

  it('finds a call of another process, which is lost when its lease is over', () =>
    inVirtualTime(async ({ clock }) => {
      const { journal, directory } = await stage(clock)
      const near = await stage(clock, [other.address])
      await write(journal, opens(newCall('c1', { owner: other, resume: { key: 'hash' } })))
      await write(near.journal, opens(newCall('c1', { owner: other })))
      expect(await near.directory.place('c1')).toEqual({ where: 'elsewhere', address: other.address })
      expect(await directory.place('c1')).toEqual({ where: 'unreachable' })
      await clock.elapse(15_000)
      expect(await directory.place('c1')).toEqual({ where: 'lost', key: 'hash', trace: undefined })
      expect((await near.directory.place('c1')).where).toBe('elsewhere')
    }))

  it('does not wait forever for a journal that does not answer', () =>
    inVirtualTime(async ({ clock }) => {
      const journal = { findDial: async () => undefined, find: () => new Promise<undefined>(noop) }
      const directory = new Directory({ clock, journal, own: () => own })
      const placed = directory.place('c1').catch((error: unknown) => error)
      await clock.elapse(5_000)
      expect(await placed).toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
    }))

  it('finds orphans', () =>
    inVirtualTime(async ({ clock }) => {
      const { journal, directory } = await stage(clock, [other.address])
      await write(journal, opens(newCall('c1', { owner: other })))
      await journal.orphan('h2', 'w1')
      expect(await directory.place('c1')).toEqual({ where: 'lost', key: undefined, trace: undefined })
    }))

  it('takes a call that this process has let go of for lost, not for its own', () =>
    inVirtualTime(async ({ clock }) => {
      const { journal, directory } = await stage(clock, [own.address])
      await write(journal, opens(newCall('c1', { owner: { ...own, host: 'the id before' } })))
      expect(await directory.place('c1')).toEqual({ where: 'lost', key: undefined, trace: undefined })
    }))

  it('rejects while the journal is away', () =>
    inVirtualTime(async ({ clock }) => {
      const journal = new MemoryJournal({ clock, fault: () => 'fail' })
      const directory = new Directory({ clock, journal, own: () => own })
      await expect(directory.place('c1')).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
    }))

  it('tries to connect to the other process', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const address = `127.0.0.1:${port}`
    const placeOf = async (owner: typeof own): Promise<string> => {
      const journal = new MemoryJournal()
      await joinAs(journal, owner.host)
      await write(journal, opens(newCall('c1', { owner })))
      return (await new Directory({ clock: systemClock, journal, own: () => own }).place('c1')).where
    }
    expect(await placeOf({ ...other, address })).toBe('elsewhere')
    server.close()
    await once(server, 'close')
    expect(await placeOf({ ...other, address })).toBe('unreachable')
    expect(await placeOf({ ...other, address: '' })).toBe('unreachable')
  })

  it('splits addresses of both kinds', () => {
    expect(hostAndPort('10.0.0.5:40123')).toEqual({ host: '10.0.0.5', port: 40_123 })
    expect(hostAndPort('[::1]:80')).toEqual({ host: '::1', port: 80 })
  })
})
