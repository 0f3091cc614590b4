import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { Stage, blocks } from './stage.ts'

/** The number of the line of `blocks.mjs` with this text. */
function lineOf(text: string): number {
  const lines = readFileSync(blocks, 'utf8').split('\n')
  return lines.findIndex((line) => line.includes(text)) + 1
}

/** Has each worker block its event loop in its own way, all at once. */
async function blockAll(stage: Stage, kinds: Readonly<Record<string, string>>): Promise<void> {
  for (const worker of Object.keys(kinds)) await stage.ask(worker, 'begin')
  for (const [worker, kind] of Object.entries(kinds)) stage.ask(worker, `block ${kind}`).catch(() => {})
}

describe('a worker whose event loop is blocked', () => {
  it('[HO23] is cut, and the culprit is named by function and line; its other calls go on', async () => {
    await using stage = await Stage.open({ workers: 4 })
    await blockAll(stage, { w1: 'loop', w2: 'regex', w3: 'atomics', w4: 'later' })
    const culprits = [
      ['w1', 'loop', 'for (;;)'],
      ['w2', 'regex', '.test('],
      ['w3', 'atomics', 'Atomics.wait'],
      ['w4', 'loop', 'for (;;)'],
    ] as const
    for (const [worker, name, text] of culprits) {
      await stage.happens(`replaced ${worker} cut`)
      const block = stage.blocked.find((each) => each.worker === worker)
      expect(block).toMatchObject({
        how: 'cut',
        culprit: { function: name, file: blocks, line: lineOf(text) },
      })
      expect(block?.ms).toBeGreaterThanOrEqual(500)
      expect(await stage.ask(worker, 'who')).toBe(worker)
      expect(stage.lines).toContain(`${worker} stdout: blocked: cut ${name}`)
      await stage.ask(worker, 'end')
      await stage.happens(`exited ${worker} 0`)
    }
  })

  it('[HO23] in native code is killed and replaced, and the caller of the native function is named', async () => {
    await using stage = await Stage.open({ workers: 3 })
    await blockAll(stage, { w1: 'exec', w2: 'pbkdf2' })
    await stage.happens('ready w3')
    process.kill(stage.pidOf('w3'), 'SIGSTOP')
    for (const [worker, name, text] of [
      ['w1', 'exec', 'execSync('],
      ['w2', 'pbkdf2', 'pbkdf2Sync('],
    ] as const) {
      await stage.happens(`orphan ${worker}`)
      expect(stage.blocked.find((each) => each.worker === worker)).toMatchObject({
        how: 'stuck',
        culprit: { function: name, file: blocks, line: lineOf(text) },
      })
      expect(stage.events).toContain(`exited ${worker} SIGKILL`)
    }
    // Even the watchdog of a stopped process is silent.
    await stage.happens('orphan w3')
    expect(stage.events).toContain('replaced w3 stuck')
    await stage.happens('ready w6')
  })
})

/** Ends by itself, in case the test is killed. */
const burn = 'const end = Date.now() + 20_000; while (Date.now() < end);'

describe('a worker on a busy machine', () => {
  it('[HO23] is neither cut nor killed', async () => {
    await using stage = await Stage.open({ workers: 2 })
    await stage.ask('w1', 'begin')
    const burners = Array.from({ length: 3 * availableParallelism() }, () =>
      spawn(process.execPath, ['-e', burn], { stdio: 'ignore' }),
    )
    try {
      for (let count = 0; count < 4; count++) {
        // Computes for longer than any callback should, and not long enough to be cut.
        expect(await stage.ask('w1', 'compute 150')).toBe('computed')
        expect(await stage.ask('w2', 'who')).toBe('w2')
      }
    } finally {
      for (const burner of burners) burner.kill('SIGKILL')
    }
    expect(stage.blocked).toEqual([])
    expect(stage.events.filter((event) => event.startsWith('exited'))).toEqual([])
  })
})
