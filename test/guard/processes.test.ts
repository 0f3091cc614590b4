import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardLimits } from '../../src/guard/index.ts'
import { compiled } from '../compiled.ts'
import { RemoteServer } from './remote-server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Longer than any scenario here, shorter than anything a session could leave behind. */
const TIMEOUT = 15_000

interface ScenarioResult {
  /** The result of the scenario, or undefined if its process died before. */
  readonly result: unknown
  readonly code: number | null
  readonly stderr: string
}

let remote: RemoteServer
let folder = ''
beforeAll(async () => {
  remote = await RemoteServer.listen()
  remote.ignoresClose = true
  mkdirSync(join(root, 'node_modules', '.cache'), { recursive: true })
  folder = mkdtempSync(join(root, 'node_modules', '.cache', 'guard-'))
})
afterAll(async () => {
  await remote.close()
  rmSync(folder, { recursive: true })
})

function runScenario(scenario: string, ...folders: string[]): Promise<ScenarioResult> {
  // The copies of the package in the folders are TypeScript.
  const imports = folders.length > 0 ? ['--import', 'tsx'] : []
  const program = compiled('guard-processes')
  const node = ['--expose-gc', ...imports, program, scenario, String(remote.port), ...folders]
  const child = spawn(process.execPath, node, { cwd: root, timeout: TIMEOUT, killSignal: 'SIGKILL' })
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
  it('[GD3] of a closed session do not end the process and are reported, whatever their origin', async () => {
    const { result, code, stderr } = await runScenario('late errors')
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
    const { result, code } = await runScenario('late errors of a closing session')
    expect(code).toBe(0)
    expect(result).toEqual([
      [{ origin: 'uncaughtException', at: expect.any(Number), error: { name: 'Error', message: 'late' } }],
      false,
      expect.stringMatching(/late: uncaughtException at \d+ ms: Error: late/),
    ])
  })

  it('become warnings, up to a limit, if there is no `onLate`', async () => {
    const { result, code, stderr } = await runScenario('late errors without a listener')
    expect({ result, code }).toEqual({ result: 'alive', code: 0 })
    expect(stderr.match(/ENDWELL_LATE.*'call'.*Error: late/g)).toHaveLength(guardLimits.lateWarnings)
  })
})

describe.concurrent('errors of other code', () => {
  it.each(['an error of a live session', 'an error of other code', 'a rejection of other code'])(
    '[GD3] end the process as they would without a guard: %s',
    async (life) => {
      const [{ result, code, stderr }, plain] = await Promise.all([
        runScenario(life),
        runScenario('an error without any guard'),
      ])
      expect({ result, code }).toEqual({ result: undefined, code: plain.code })
      expect(code).toBe(1)
      expect(shapeOf(stderr)).toEqual(shapeOf(plain.stderr))
    },
  )

  it("reach the user's own handlers, unlike those of a closed session", async () => {
    const { result, code } = await runScenario("the user's handlers")
    expect(code).toBe(0)
    expect(result).toEqual({
      received: expect.arrayContaining(['exception theirs', 'rejection their rejection']),
      late: expect.arrayContaining(['late', 'late rejection']),
    })
    expect((result as { received: string[] }).received).toHaveLength(2)
  })
})

describe.concurrent('a process with guards', () => {
  it('[GD1] [GD2] exits by itself when its leftover session is closed, and leaves no socket at the peer', async () => {
    const { result, code } = await runScenario('a leftover session')
    expect(code).toBe(0)
    const [took, severed] = result as [number, string[]]
    expect(took).toBeLessThanOrEqual(1_500)
    expect(severed).toEqual(expect.arrayContaining(['process', 'socket', 'socket', 'socket']))
    await remote.until(() => remote.open === 0)
  })

  it('[GD4] is unchanged as long as the hooks are not used', async () => {
    expect(await runScenario('installed and not used')).toMatchObject({
      code: 0,
      result: { same: true, hooked: false, listeners: [] },
    })
  })

  it('[GD4] has no handler left once no session is left', async () => {
    expect(await runScenario('nothing left behind')).toMatchObject({
      code: 0,
      result: { before: [0, false], hooked: true, after: [0, false] },
    })
  })

  it('cannot create a guard without the hooks', async () => {
    expect(await runScenario('not installed')).toMatchObject({ code: 0, result: 'GUARD_NOT_INSTALLED' })
  })

  it('can use two copies of the package', async () => {
    const copies = ['one', 'two'].map((name) => {
      for (const room of ['scope', 'report', 'guard']) {
        cpSync(join(root, 'src', room), join(folder, name, room), { recursive: true })
      }
      return join(folder, name)
    })
    expect(await runScenario('two copies', ...copies)).toMatchObject({
      code: 0,
      result: {
        same: true,
        runtime: 'object',
        severed: [1, 2],
        unowned: [0, 0],
        refused: ['GUARD_CLOSED', 0, 1],
      },
    })
  })
})

const refusal = (): string =>
  `cannot connect to 127.0.0.1:${remote.port}: it was requested by guarded session 'call', which is closing or closed`

/** What Node prints for a fatal error, without the location. */
function shapeOf(stderr: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => /^(Node\.js v|Error: |\s*\^)/.test(line))
    .map((line) => line.replace(/^Error: .*/, 'Error: …').trim())
}
