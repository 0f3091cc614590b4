import { describe, expect, it } from 'vitest'
import { Scope, type Change, type ScopeReport } from '../../src/scope/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import { closingWaterfallOf } from '../../studio/src/ended/closing-waterfall.ts'
import { waterfallOf, type Bar } from '../../studio/src/ended/waterfall.ts'
import { applyToTree, type ResourceNode } from '../../studio/src/live/resource-tree.ts'

/** The tree of a scope as the page has it, since now. */
function following<Phase extends string>(scope: Scope<Phase>): () => ResourceNode {
  const changes: Change[] = []
  const inspection = scope.inspect((change) => changes.push(change))
  const common = { now: scope.clock.now(), statuses: [] }
  const summary = { id: 'a', state: 'live', addedAt: 0, turns: 0, errors: 0 } as const
  let tree = applyToTree(undefined, {
    type: 'snapshot',
    summary,
    events: [],
    latencies: [],
    spent: { usage: { turns: 0, toolCalls: 0, models: {} } },
    ...common,
    tree: inspection.tree,
  })!
  return () =>
    (tree = applyToTree(tree, { type: 'batch', events: [], changes: changes.splice(0), ...common })!)
}

const bars = (report: ScopeReport): Bar[] => waterfallOf(report).rows.filter((row) => row.type === 'bar')

describe('the waterfall of a close', () => {
  it('has a bar for each step, at its time and of its length', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock, closeTimeout: 1_000, reserve: 0 })
      scope.spawn('tidy', async ({ signal }) => {
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve)
        })
        await clock.elapse(200)
      })
      scope.own('socket', { close: () => clock.elapse(600), abort: () => {} })
      const report = await scope.close()
      expect(report.took).toBe(800)
      const [tidy, socket] = bars(report)
      expect(tidy).toMatchObject({ name: 'tidy', left: 0, width: 20, tone: 'good', took: '200 ms' })
      expect(socket).toMatchObject({ name: 'socket', left: 20, outcome: 'closed', took: '600 ms' })
      expect(socket!.width).toBeCloseTo(60)
      expect(waterfallOf(report).deadline).toEqual({ at: 100, text: '1 s', beyond: false })
    }))

  it('puts a distant deadline at the edge, so that the bars fill the width', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock, closeTimeout: 5_000 })
      scope.own('socket', { close: () => clock.elapse(50), abort: () => {} })
      const report = await scope.close()
      const { deadline, ticks } = waterfallOf(report)
      expect(deadline).toEqual({ at: 100, text: '5 s', beyond: true })
      expect(ticks.map(({ text }) => text)).toEqual(['0', '10 ms', '20 ms', '30 ms', '40 ms', '50 ms'])
      expect(bars(report)[0]!.width).toBeCloseTo(94)
    }))

  it('marks the steps that went wrong, and those that are still running', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock, closeTimeout: 100 })
      scope.child('tool').spawn('deaf', () => new Promise(() => {}))
      scope.own('broken', {
        close: () => {
          throw new Error('disk full')
        },
        abort: () => {},
      })
      const report = await scope.close()
      const { rows } = waterfallOf(report)
      expect(bars(report)).toMatchObject([
        { name: 'tool', kind: 'scope', depth: 1, tone: 'bad', outcome: 'not clean' },
        { name: 'deaf', depth: 2, tone: 'bad', outcome: 'did not stop', goesOn: true },
        { name: 'broken', depth: 1, tone: 'bad', outcome: 'failed' },
      ])
      expect(rows.filter(({ type }) => type === 'note')).toMatchObject([
        { text: 'Error: disk full', tone: 'bad' },
      ])
      expect(rows.filter(({ type }) => type === 'phase')).toMatchObject([
        { name: 'tasks' },
        { name: 'resources' },
      ])
    }))

  it('has one row for a tool and its scope', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock, closeTimeout: 100 })
      const tool = scope.child('tool book')
      tool.spawn('book', () => new Promise(() => {}))
      tool.own('connection', { close: () => {}, abort: () => {} })
      const tree = following(scope)
      const times = { askedAt: clock.now(), deadline: clock.now() + 100 }
      const closed = scope.close()
      await clock.elapse(10)
      const names = (rows: readonly { type: string; name?: string; depth: number }[]): unknown[] =>
        rows.flatMap(({ type, name, depth }) => (type === 'bar' ? [[name, depth]] : []))
      expect(names(closingWaterfallOf(tree(), times, clock.now()).rows)).toEqual([
        ['tool book', 1],
        ['connection', 2],
      ])
      expect(names(waterfallOf(await closed).rows)).toEqual([
        ['tool book', 1],
        ['connection', 2],
      ])
    }))

  it('is empty for a scope that owned nothing', () =>
    inVirtualTime(async ({ clock }) => {
      const report = await new Scope('call', { clock }).close()
      expect(waterfallOf(report)).toMatchObject({ rows: [], ticks: [{ at: 0, text: '0' }] })
    }))

  it('keeps every bar between 0 and 100 per cent', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock, closeTimeout: 300 })
      const child = scope.child('tool', { closeTimeout: 200 })
      child.spawn('deaf', () => new Promise(() => {}))
      const early = child.close()
      await clock.elapse(100)
      await Promise.all([scope.close(), early])
      for (const { left, width } of bars(await scope.close())) {
        expect(left).toBeGreaterThanOrEqual(0)
        expect(left + width).toBeLessThanOrEqual(100)
      }
    }))
})

describe('the waterfall of a close that is under way', () => {
  it('[ST1] has bars that grow towards the deadline, and says what waits, closes and has ended', () =>
    inVirtualTime(async ({ clock }) => {
      const session = new Scope('session a', { clock, phases: ['work', 'rest'], closeTimeout: 1_000 })
      const rest = session.child('rest', { phase: 'rest', phases: ['links', 'stores'] })
      const links = rest.child('links', { phase: 'links' })
      links.own('stt', { close: () => new Promise(() => {}), abort: () => {} })
      links.own('tts', { close: () => clock.elapse(50), abort: () => {} })
      rest.own('recorder', { close: () => {}, abort: () => {} }, { phase: 'stores' })
      session.spawn('speech 1', ({ until }) => until(new Promise(() => {})), { phase: 'work' })
      session.every(1_000, 'a timer', () => {})
      const tree = following(session)
      const askedAt = clock.now()
      const times = { askedAt, deadline: askedAt + 1_000 }
      const report = session.close()
      await clock.elapse(100)
      const rows = (): unknown[] =>
        closingWaterfallOf(tree(), times, clock.now()).rows.map((row) =>
          row.type === 'bar'
            ? [row.name, row.outcome, row.left, Math.round(row.left + row.width)]
            : row.type === 'phase' && row.name,
        )
      expect(rows()).toEqual([
        'Work in progress',
        ['speaking', 'stopped', 0, 0],
        'Connections',
        ['STT', 'closing…', 0, 10],
        ['TTS', 'closed', 0, 5],
        'Hooks, recording and toolsets',
        ['recording', 'waiting', 10, 10],
      ])
      expect(closingWaterfallOf(tree(), times, clock.now())).toMatchObject({
        total: 4,
        ended: 2,
        deadline: { at: 100, text: '1 s' },
      })
      await clock.elapse(200)
      expect(rows()).toContainEqual(['STT', 'closing…', 0, 30])
      await report
    }))
})
