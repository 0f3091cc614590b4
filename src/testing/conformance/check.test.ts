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

describe('a suite', () => {
  it('needs no more of a test framework than node:test and vitest have', () => {
    expectTypeOf<Pick<typeof nodeTest, 'describe' | 'it'>>().toExtend<Framework>()
    expectTypeOf<{ describe: typeof describe; it: typeof it }>().toExtend<Framework>()
  })

  it('runs in any framework, and skips what cannot be checked', async () => {
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

  it('clears up after a check that fails, and after one that forgets', async () => {
    const opened: Stage[] = []
    const forgets = async (stage: Stage, vad: ScriptedVad): Promise<void> => {
      opened.push(stage)
      await vad.open(stage.context(), { started() {}, stopped() {}, failed() {} })
    }
    const vad = new ScriptedVad()
    const results = await findings(
      [
        check<ScriptedVad>('forgets', forgets),
        check<ScriptedVad>('fails', async (stage, subject) => {
          await forgets(stage, subject)
          throw new Error('no')
        }),
        check<ScriptedVad>('hangs', async () => new Promise(() => {})),
        check<ScriptedVad>(
          'waits',
          async (stage) => void (await stage.soon(new Promise(() => {}), 'a wonder')),
        ),
      ],
      () => vad,
    )
    expect(
      results.map(
        ({ name, error }) => `${name} ${error instanceof Error ? error.message.split('\n')[0] : ''}`,
      ),
    ).toEqual([
      'forgets ',
      'fails no',
      'hangs SC2: nothing is left to happen, and the life still waits: it would hang for ever',
      'waits a wonder did not happen within 60000 ms',
    ])
    expect(vad.counts).toMatchObject({ opened: 2, live: 0 })
  })

  it('can be played in real time, where timers that are left behind are seen, too', async () => {
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
