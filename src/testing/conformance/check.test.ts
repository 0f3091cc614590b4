import type * as nodeTest from 'node:test'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  ScriptedVad,
  check,
  conformance,
  findings,
  onRealStage,
  type Framework,
  type Stage,
} from '../index.ts'

describe('a conformance suite', () => {
  it('works with the types of node:test and vitest', () => {
    expectTypeOf<Pick<typeof nodeTest, 'describe' | 'it'>>().toExtend<Framework>()
    expectTypeOf<{ describe: typeof describe; it: typeof it }>().toExtend<Framework>()
  })

  it('runs in any test framework, and skips checks that the subject does not support', async () => {
    const log: string[] = []
    const running: Promise<void>[] = []
    const framework: Framework = {
      describe: (name, body) => {
        log.push(`describe ${name}`)
        body()
      },
      it: (name, body) => {
        log.push(`it ${name}`)
        running.push(body({ skip: (why) => log.push(`skip ${why}`) }))
      },
    }
    const checks = [
      check<number>('is one', async (_, subject) => expect(subject).toBe(1)),
      check<number>('is more', async () => 'it is too small'),
    ]
    conformance(framework, 'numbers', checks, () => 1)
    await Promise.all(running)
    expect(log).toEqual(['describe numbers', 'it is one', 'it is more', 'skip it is too small'])
  })

  it('closes what a check left open, whether it passes, fails or hangs', async () => {
    const opened: Stage[] = []
    const leaks = async (stage: Stage, vad: ScriptedVad): Promise<void> => {
      opened.push(stage)
      await vad.open(stage.context(), { started() {}, stopped() {}, failed() {} })
    }
    const vad = new ScriptedVad()
    const results = await findings(
      [
        check<ScriptedVad>('leaks', leaks),
        check<ScriptedVad>('fails', async (stage, subject) => {
          await leaks(stage, subject)
          throw new Error('no')
        }),
        check<ScriptedVad>('hangs', async () => new Promise(() => {})),
        check<ScriptedVad>(
          'waits',
          async (stage) => void (await stage.soon(new Promise(() => {}), 'a miracle')),
        ),
      ],
      () => vad,
    )
    expect(
      results.map(
        ({ name, error }) => `${name} ${error instanceof Error ? error.message.split('\n')[0] : ''}`,
      ),
    ).toEqual([
      'leaks ',
      'fails no',
      'hangs SC2: no event is left, and the code is still waiting: it would hang forever',
      'waits a miracle did not happen within 60000 ms',
    ])
    expect(vad.counts).toMatchObject({ opened: 2, live: 0 })
  })

  it('runs in real time too, and detects leftover timers', async () => {
    const leaves = check<ScriptedVad>('leaves a timer', async ({ clock }) => {
      left = clock.after(60_000, 'hidden', () => {})
    })
    const waits = check<ScriptedVad>('waits', async (stage) => {
      await stage.soon(stage.elapse(1), 'a moment')
      await stage.settle()
    })
    let left: { clear(): void } | undefined
    const results = await findings([leaves, waits], () => new ScriptedVad(), onRealStage)
    left?.clear()
    expect(results).toMatchObject([
      { error: { message: expect.stringContaining("timer 'hidden'") } },
      { name: 'waits' },
    ])
    expect(results[1]).toEqual({ name: 'waits' })
  })
})
