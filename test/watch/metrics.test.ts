import { describe, expect, it } from 'vitest'
import { Metrics, WorkerMetrics, mergeMetrics } from '../../src/host/index.ts'
import type { LlmChunk } from '../../src/parts/index.ts'
import { Agent, Session, tool } from '../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  callTool,
  inVirtualTime,
} from '../../src/testing/index.ts'
import { never } from '../session/fixture.ts'
import { followed, linkedStt, valuesOf } from './fixture.ts'

describe('the metrics of calls', () => {
  it('[HO25] count a call while it lives, and how it closed', () =>
    inVirtualTime(async (world) => {
      const metrics = new Metrics()
      const one = followed(world, metrics, { id: 'one' })
      const two = followed(world, metrics, { id: 'two' }, 'browser')
      await one.session.start()
      await two.session.start()
      expect(valuesOf(await metrics.snapshot(), 'endwell_calls')).toEqual({ '': 2 })
      one.caller.hangsUp()
      await one.session.closed
      two.faults.set('close:stt', 'hang')
      await two.session.close()
      const snapshot = await metrics.snapshot()
      expect(valuesOf(snapshot, 'endwell_calls')).toEqual({})
      expect(valuesOf(snapshot, 'endwell_calls_total')).toEqual({
        'line=phone reason=caller-hung-up clean=true': 1,
        'line=browser reason=requested clean=false': 1,
      })
      const { took } = two.reports[0]!
      expect(took).toBeGreaterThan(1_000)
      expect(valuesOf(snapshot, 'endwell_call_close_seconds')).toEqual({ sum: took / 1_000, count: 2 })
    }))

  it('[HO25] count sessions that fail to start, or never start, until they are closed', () =>
    inVirtualTime(async (world) => {
      const metrics = new Metrics()
      const broken = followed(world, metrics, { id: 'broken' })
      broken.faults.set('open:stt', 'throw')
      const unused = followed(world, metrics, { id: 'unused' })
      await broken.session.start().catch(() => {})
      await broken.session.closed
      expect(valuesOf(await metrics.snapshot(), 'endwell_calls')).toEqual({ '': 1 })
      await unused.session.close()
      metrics.follow(unused.session, { line: 'phone' })
      expect(valuesOf(await metrics.snapshot(), 'endwell_calls')).toEqual({})
    }))

  it('[HO25] [LT1] have the latency of turns and of their stages in seconds', () =>
    inVirtualTime(async (world) => {
      const metrics = new Metrics()
      const { session, caller, clock } = followed(world, metrics, {
        answers: ['Monday.', 'Tuesday.'],
        llm: { firstAfter: 700 },
      })
      await session.start()
      caller.types('When?')
      await clock.elapse(5_000)
      caller.types('And then?')
      await clock.elapse(5_000)
      const report = await session.close()
      const sum = report.turns.reduce((total, { latency }) => total + latency, 0) / 1_000
      expect(sum).toBeGreaterThan(1)
      expect(valuesOf(await metrics.snapshot(), 'endwell_turn_latency_seconds')).toEqual({
        'sum stage=total': sum,
        'count stage=total': 2,
        'sum stage=model': sum,
        'count stage=model': 2,
        'count stage=voice': 2,
        'count stage=playout': 2,
      })
    }))

  it('[CL15] have what the models have cost, and count calls whose cost is not known', () =>
    inVirtualTime(async (world) => {
      const metrics = new Metrics({ names: ['llm', 'tts'] })
      const usage = { type: 'usage', usage: { inputTokens: 30, outputTokens: 10 } } as LlmChunk
      const prices = { llm: { inputTokens: 0.01, outputTokens: 0.02 } }
      for (const priceList of [{ currency: 'EUR', products: {} }, undefined]) {
        const { session, caller, clock } = followed(world, metrics, {
          answers: [['Six.', usage]],
          prices,
          priceList,
        })
        await session.start()
        caller.types('When?')
        await clock.elapse(5_000)
        await session.close()
      }
      const snapshot = await metrics.snapshot()
      expect(valuesOf(snapshot, 'endwell_cost_total')).toEqual({
        'model=llm currency=EUR': 0.5,
        'model=llm currency=other': 0.5,
      })
      expect(valuesOf(snapshot, 'endwell_cost_unknown_total')).toEqual({ 'model=tts': 2 })
    }))

  it('[PT10] have what each model has used, by unit', () =>
    inVirtualTime(async (world) => {
      const metrics = new Metrics({ names: ['llm'] })
      const usage = { type: 'usage', usage: { inputTokens: 30, outputTokens: 10, secrets: 5 } } as LlmChunk
      for (const id of ['one', 'two']) {
        const { session, caller, clock, stt } = followed(world, metrics, {
          id,
          answers: [['Six.', usage]],
          stt: { name: 'deepgram' },
          tts: { name: 'voice-4711' },
        })
        await session.start()
        stt.usage({ audioSeconds: 2 })
        caller.types('When?')
        await clock.elapse(5_000)
        await session.close()
      }
      expect(valuesOf(await metrics.snapshot(), 'endwell_usage_total')).toEqual({
        'model=llm unit=inputTokens': 60,
        'model=llm unit=outputTokens': 20,
        'model=deepgram unit=audioSeconds': 4,
        'model=other unit=characters': 8,
        'model=other unit=spokenSeconds': 0.4,
      })
    }))

  it('[HO25] have only label values from fixed lists, whatever agents, models and tools are called', () =>
    inVirtualTime(async (world) => {
      const metrics = new Metrics({ names: ['stt'] })
      const run = (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      const { session, caller, clock } = followed(
        world,
        metrics,
        {
          id: 'call-4711',
          answers: [[callTool('tool-of-4711')]],
          tts: { name: 'voice-4711' },
          agent: {
            name: 'agent-4711',
            onEnter: never,
            tools: { 'tool-of-4711': tool({ description: '', timeout: 60_000, run }) },
            guardrails: { input: { 'rail-4711': never } },
          },
        },
        'line-4711',
      )
      await session.start()
      caller.types('Hello')
      await clock.elapse(1_000)
      await session.close()
      const snapshot = await metrics.snapshot()
      expect(JSON.stringify(snapshot)).not.toContain('4711')
      expect(Object.keys(valuesOf(snapshot, 'endwell_calls_total'))).toEqual([
        'line=other reason=requested clean=false',
      ])
      const steps = Object.keys(valuesOf(snapshot, 'endwell_call_steps_total'))
      expect(steps).toEqual(
        expect.arrayContaining([
          'step=hook outcome=abandoned',
          'step=guardrail outcome=abandoned',
          'step=tool outcome=cancelled',
          'step=reply outcome=cancelled',
          'step=stt outcome=done',
          'step=other outcome=done',
        ]),
      )
    }))

  it('[HO25] read the state of links, and drop them with their session', () =>
    inVirtualTime(async (world) => {
      const metrics = new Metrics()
      world.network.serve = () => ({})
      const { clock, random, network } = world
      const session = (name: string): Session =>
        new Session({
          agent: new Agent({ instructions: '' }),
          models: {
            llm: new ScriptedLlm(),
            tts: new ScriptedTts(),
            stt: linkedStt(name),
            vad: new ScriptedVad(),
          },
          line: new TestLine(),
          clock,
          random,
          network,
        })
      const sessions = ['deepgram', 'deepgram', 'secret-project'].map(session)
      for (const each of sessions) metrics.follow(each, { line: 'phone' })
      expect(valuesOf(await metrics.snapshot(), 'endwell_links')).toEqual({})
      for (const each of sessions) await each.start()
      expect(valuesOf(await metrics.snapshot(), 'endwell_links')).toEqual({
        'provider=deepgram state=ready': 2,
        'provider=other state=ready': 1,
      })
      await Promise.all(sessions.map((each) => each.close()))
      expect(valuesOf(await metrics.snapshot(), 'endwell_links')).toEqual({})
    }))
})

describe('the metrics of a host', () => {
  it('[HO25] have what the host reports', async () => {
    const metrics = new Metrics()
    metrics.refused('busy')
    metrics.refused('toString' as 'busy')
    metrics.adopted(3)
    metrics.draining(true)
    metrics.work({ waiting: 4, running: 1, dead: 2, oldest: 90_000 })
    metrics.attempted('retry')
    metrics.appended(2)
    metrics.spooled(7)
    metrics.loopBlocked('cut')
    metrics.workerRestarted('memory')
    const snapshot = await metrics.snapshot()
    const values = (name: string): object => valuesOf(snapshot, `endwell_${name}`)
    expect(values('refused_total')).toEqual({ 'why=busy': 1, 'why=other': 1 })
    expect(values('calls_adopted_total')).toEqual({ '': 3 })
    expect(values('draining')).toEqual({ '': 1 })
    expect(values('work')).toEqual({ 'state=waiting': 4, 'state=running': 1, 'state=dead': 2 })
    expect(values('work_oldest_seconds')).toEqual({ '': 90 })
    expect(values('work_attempts_total')).toEqual({ 'outcome=retry': 1 })
    expect(values('journal_append_seconds')).toEqual({ sum: 0.002, count: 1 })
    expect(values('spooled')).toEqual({ '': 7 })
    expect(values('loop_blocked_total')).toEqual({ 'outcome=cut': 1 })
    expect(values('workers_restarted_total')).toEqual({ 'why=memory': 1 })
    metrics.draining(false)
    expect(valuesOf(await metrics.snapshot(), 'endwell_draining')).toEqual({})
  })
})

describe('the metrics of several workers', () => {
  /** The metrics as they arrive from another process. */
  const sent = async (metrics: Metrics) => JSON.parse(JSON.stringify(await metrics.snapshot())) as never

  const lineOf = async (
    snapshots: Parameters<typeof mergeMetrics>[0],
    beginning: string,
  ): Promise<string[]> =>
    (await mergeMetrics(snapshots)).split('\n').filter((line) => line.startsWith(beginning))

  it('[HO25] are added up, except for those that all workers share', async () => {
    const [one, two] = [new Metrics(), new Metrics()]
    for (const metrics of [one, two]) {
      metrics.refused('busy')
      metrics.spooled(2)
      metrics.work({ waiting: 4, running: 0, dead: 0, oldest: 1_000 })
      metrics.appended(3)
    }
    one.draining(true)
    two.work({ waiting: 4, running: 0, dead: 0, oldest: 5_000 })
    const snapshots = [await sent(one), await sent(two)]
    expect(await lineOf(snapshots, 'endwell_refused_total{why="busy"}')).toEqual([
      'endwell_refused_total{why="busy"} 2',
    ])
    expect(await lineOf(snapshots, 'endwell_spooled')).toEqual(['endwell_spooled 4'])
    expect(await lineOf(snapshots, 'endwell_work{state="waiting"}')).toEqual([
      'endwell_work{state="waiting"} 4',
    ])
    expect(await lineOf(snapshots, 'endwell_work_oldest_seconds')).toEqual(['endwell_work_oldest_seconds 5'])
    expect(await lineOf(snapshots, 'endwell_draining')).toEqual(['endwell_draining 1'])
    expect(await lineOf(snapshots, 'endwell_journal_append_seconds_bucket{le="0.005"}')).toEqual([
      'endwell_journal_append_seconds_bucket{le="0.005"} 2',
    ])
  })

  it('[HO25] never decrease when workers are replaced, and their gauges go with them', async () => {
    const workers = new WorkerMetrics()
    const first = new Metrics()
    first.refused('busy')
    first.refused('rate')
    first.appended(3)
    first.spooled(9)
    workers.update('w1', await sent(first))
    workers.remove('w1')
    workers.remove('w1')
    const second = new Metrics()
    second.refused('busy')
    second.appended(3)
    workers.update('w1', await sent(second))
    workers.remove('w1')
    const third = new Metrics()
    third.refused('busy')
    workers.update('w2', await sent(third))
    expect(await lineOf(workers.snapshots, 'endwell_refused_total{why="busy"}')).toEqual([
      'endwell_refused_total{why="busy"} 3',
    ])
    expect(await lineOf(workers.snapshots, 'endwell_refused_total{why="rate"}')).toEqual([
      'endwell_refused_total{why="rate"} 1',
    ])
    expect(await lineOf(workers.snapshots, 'endwell_journal_append_seconds_count')).toEqual([
      'endwell_journal_append_seconds_count 2',
    ])
    expect(await lineOf(workers.snapshots, 'endwell_spooled')).toEqual(['endwell_spooled 0'])
  })
})
