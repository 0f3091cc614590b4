import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardLimits } from '../../src/guard/index.ts'
import { FarSide } from './far-side.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = fileURLToPath(new URL('alone.ts', import.meta.url))

/** Longer than any life here, shorter than anything a session could leave: 30 s, 60 s, for ever. */
const PATIENCE = 15_000

interface Ended {
  /** What the life came to; undefined if its process died before. */
  readonly result: unknown
  readonly code: number | null
  readonly stderr: string
}

let far: FarSide
let folder = ''
beforeAll(async () => {
  far = await FarSide.listen()
  far.rude = true
  mkdirSync(join(root, 'node_modules', '.cache'), { recursive: true })
  folder = mkdtempSync(join(root, 'node_modules', '.cache', 'guard-'))
})
afterAll(async () => {
  await far.close()
  rmSync(folder, { recursive: true })
})

function live(life: string, ...args: string[]): Promise<Ended> {
  const node = ['--expose-gc', '--import', 'tsx', program, life, String(far.port), ...args]
  const child = spawn(process.execPath, node, { cwd: root, timeout: PATIENCE, killSignal: 'SIGKILL' })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ result: stdout === '' ? undefined : JSON.parse(stdout), code, stderr })
    })
  })
}

describe.concurrent('late errors', () => {
  it('[GD3] of a closed session do not end the process, however they come, and are told', async () => {
    const { result, code, stderr } = await live('late errors')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect((result as string[]).toSorted()).toEqual([
      `uncaught exception: ${refusal()}`,
      'uncaught exception: event',
      'uncaught exception: immediate',
      'uncaught exception: microtask',
      'uncaught exception: signal',
      'uncaught exception: tick',
      'uncaught exception: timeout',
      'unhandled rejection: rejection',
      'unhandled rejection: then',
    ])
  })

  it('[GD3] of a closing session are in its report', async () => {
    const { result, code } = await live('late errors of a closing session')
    expect(code).toBe(0)
    expect(result).toEqual([
      [{ origin: 'uncaughtException', at: expect.any(Number), error: { name: 'Error', message: 'late' } }],
      false,
      expect.stringMatching(/late: uncaughtException at \d+ ms: Error: late/),
    ])
  })

  it('that nobody listens for are warned of, some', async () => {
    const { result, code, stderr } = await live('late errors without a listener')
    expect({ result, code }).toEqual({ result: 'alive', code: 0 })
    expect(stderr.match(/ENDWELL_LATE.*'call'.*Error: late/g)).toHaveLength(guardLimits.lateWarnings)
  })
})

describe.concurrent('errors of everybody else', () => {
  it.each(['an error of a living session', 'an error of somebody else', 'a rejection of somebody else'])(
    '[GD3] end the process as ever: %s',
    async (life) => {
      const [{ result, code, stderr }, plain] = await Promise.all([
        live(life),
        live('an error without any guard'),
      ])
      expect({ result, code }).toEqual({ result: undefined, code: plain.code })
      expect(code).toBe(1)
      expect(shapeOf(stderr)).toEqual(shapeOf(plain.stderr))
    },
  )

  it('are heard by the user’s own handlers, and those of a closed session are not', async () => {
    const { result, code } = await live('handlers of the user')
    expect(code).toBe(0)
    expect(result).toEqual({
      heard: expect.arrayContaining(['exception theirs', 'rejection their rejection']),
      late: expect.arrayContaining(['late', 'late rejection']),
    })
    expect((result as { heard: string[] }).heard).toHaveLength(2)
  })
})

describe.concurrent('a process', () => {
  it('[GD1] [GD2] ends by itself when its zombie is closed, and the other side sees no socket', async () => {
    const { result, code } = await live('a zombie')
    expect(code).toBe(0)
    const [took, severed] = result as [number, string[]]
    expect(took).toBeLessThanOrEqual(1_500)
    expect(severed).toEqual(expect.arrayContaining(['process', 'socket', 'socket', 'socket']))
    await far.until(() => far.open === 0)
  })

  it('[GD4] with hooks that are not used is as it was', async () => {
    expect(await live('installed and not used')).toMatchObject({
      code: 0,
      result: { same: true, hooked: false, listeners: [] },
    })
  })

  it('[GD4] has no handler left when nothing of a session is', async () => {
    expect(await live('nothing left behind')).toMatchObject({
      code: 0,
      result: { before: [0, false], hooked: true, after: [0, false] },
    })
  })

  it('without the hooks can have no guard', async () => {
    expect(await live('not installed')).toMatchObject({ code: 0, result: 'GUARD_NOT_INSTALLED' })
  })

  it('can have two copies of the package', async () => {
    const copies = ['one', 'two'].map((name) => {
      for (const room of ['scope', 'report', 'guard']) {
        cpSync(join(root, 'src', room), join(folder, name, room), { recursive: true })
      }
      return join(folder, name)
    })
    expect(await live('two copies', ...copies)).toMatchObject({
      code: 0,
      result: {
        same: true,
        ground: 'object',
        severed: [1, 2],
        unowned: [0, 0],
        refused: ['GUARD_CLOSED', 0, 1],
      },
    })
  })
})

const refusal = (): string =>
  `cannot connect to 127.0.0.1:${far.port}: it was requested by guarded session 'call', which is closing or closed`

/** How Node tells of an error that ends it, without where that was. */
function shapeOf(stderr: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => /^(Node\.js v|Error: |\s*\^)/.test(line))
    .map((line) => line.replace(/^Error: .*/, 'Error: …').trim())
}
