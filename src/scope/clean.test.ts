import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../testing/index.ts'
import { Scope, type ScopeReport } from './index.ts'

const never = (): Promise<never> => new Promise(() => {})

const whyNot = ({ problems }: ScopeReport): string[] =>
  problems.map(({ where, error }) => `${where}: ${error.code}`)

describe('a report is not clean', () => {
  it('[SC20] if it came after the deadline because the thread was blocked, and says so', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock, closeTimeout: 1_000 })
      scope.spawn('spin', ({ until }) => until(never()).finally(() => clock.jump(3_000)))
      const report = await scope.close()
      expect(report).toMatchObject({
        took: 3_000,
        closeTimeout: 1_000,
        clean: false,
        tasks: [{ outcome: 'cancelled' }],
      })
      expect(report.problems).toMatchObject([
        {
          where: 'the deadline',
          at: 1_000,
          error: { code: 'CLOSED_LATE', message: expect.stringContaining('2000 ms after the deadline') },
        },
      ])
    }))

  it('[SC20] if a child closed earlier and left a task that is still running', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock })
      const tool = scope.child('turn').child('tool', { closeTimeout: 100 })
      tool.spawn('look up', never)
      tool.defer('flush', never)
      tool.open('feed', never).catch(() => {})
      await tool.close()
      await clock.elapse(60_000)
      const report = await scope.close()
      expect(report.clean).toBe(false)
      expect(report.children).toMatchObject([{ report: { name: 'turn', clean: false } }])
      expect(whyNot(report.children[0]!.report).toSorted()).toEqual([
        "deferred 'flush' of 'call/turn/tool': STILL_RUNNING",
        "opening 'feed' of 'call/turn/tool': STILL_RUNNING",
        "task 'look up' of 'call/turn/tool': STILL_RUNNING",
      ])
      expect(whyNot(report)).toEqual([])
    }))

  it.each([
    ['together with its parent', false],
    ['before its parent', true],
  ])('[SC20] if a grandchild, closed %s, left a task running', (_, alone) =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock })
      const turn = scope.child('turn', { closeTimeout: 100 })
      const tool = turn.child('tool')
      tool.spawn('look up', never)
      if (alone) await tool.close()
      await turn.close()
      expect(whyNot(await scope.close())).toEqual(["task 'look up' of 'call/turn/tool': STILL_RUNNING"])
    }),
  )
})

describe('a report is clean', () => {
  it('[SC20] if what a child left running has ended since', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock })
      const tool = scope.child('tool', { closeTimeout: 100 })
      tool.spawn('slow', () => clock.elapse(500))
      tool.spawn('fails', () => clock.elapse(500).then(() => Promise.reject(new Error('too late'))))
      tool.spawn('closer', async ({ close }) => void (await close()))
      expect((await tool.close()).clean).toBe(false)
      await clock.elapse(1_000)
      expect(await scope.close()).toMatchObject({ clean: true, problems: [] })
    }))

  it('[SC20] if abort() had nothing to end, however long that took', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock })
      scope.child('turn')
      scope.inspect(() => clock.jump(5))
      scope.abort()
      expect(await scope.close()).toMatchObject({ clean: true, closeTimeout: 0, took: expect.any(Number) })
    }))

  it('[SC20] if it came within the millisecond in which its deadline fell', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock })
      scope.spawn('polite', ({ until }) => until(never()).finally(() => clock.jump(0.9)))
      expect(await scope.close({ closeTimeout: 0 })).toMatchObject({ clean: true, took: 0.9 })
    }))
})
