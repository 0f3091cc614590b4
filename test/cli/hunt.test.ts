import { mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { formatHunt } from '../../src/cli/hunt/format-hunt.ts'
import { huntPage } from '../../src/cli/hunt/hunt-page.ts'
import type { Launch } from '../../src/cli/hunt/hunter.ts'
import type { HuntRequest } from '../../src/cli/hunt/messages.ts'
import { runHunt } from '../../src/cli/hunt/run-hunt.ts'
import type { HuntFinding, HuntResult } from '../../src/testing/index.ts'
import { root } from '../compile.ts'
import { compiled, installedPackage } from '../compiled.ts'
import { runCommand } from './run-command.ts'
import { runProgram } from './run-program.ts'

const request: HuntRequest = {
  file: 'agent.ts',
  seed: 1,
  moments: 60,
  limit: 60_000,
  online: false,
  skip: [],
}
const signal = new AbortController().signal

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-hunt-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe('endwell hunt', () => {
  it('[HN5] [HN7] finds the bugs of the example: exit code 1, findings as JSON, and a page', async () => {
    const page = join(temporaryFolder(), 'pages', 'hunt.html')
    const args = ['hunt', 'examples/hunt/agent.ts', '--moments', '1', '--json', '--page', page]
    const program = runProgram(args, { endwell: root })
    await program.until(() => program.code !== undefined)
    expect([program.code, program.errors]).toEqual([1, ''])
    const [result] = program.lines as unknown as readonly HuntResult[]
    expect(result).toMatchObject({ name: 'Trattoria Da Rosa', endsWell: false, complete: true })
    const found = result!.findings.map(({ kind, where, line }) => [kind, where, line?.text?.slice(0, 20)])
    expect(found).toEqual(
      expect.arrayContaining([
        ['ignores-signal', "the tool 'findTable'", 'const response = awa'],
        ['left-open', "the tool 'orderTaxi'", 'const timer = setInt'],
        ['uncaught-error', "the tool 'orderTaxi'", 'const timer = setInt'],
        ['speech-cut', "the tool 'goodbye'", undefined],
      ]),
    )
    const written = readFileSync(page, 'utf8')
    for (const { title } of result!.findings)
      expect(written).toContain(`<span class="title">T${title.slice(1)}</span>`)
  })

  it('[HN5] finds nothing in the example without its bugs: exit code 0', async () => {
    const { code, out, errors } = await runCommand(['hunt', compiled('fixed-agent'), '--moments', '1'])
    expect([code, errors]).toEqual([0, ''])
    expect(out).toContain('✓ every call ended well')
    expect(out).toContain('Other machines, played by the hunt: tables.example')
  })

  it('[HN5] goes on in another process without the calls that killed or blocked the first ones', async () => {
    const { forkHunter } = (await import(join(installedPackage(), 'dist/cli/hunt/hunter.js'))) as {
      forkHunter: (limits: { loading: number; playing: number }) => Launch
    }
    const marks = temporaryFolder()
    vi.stubEnv('HUNT_MARKS', marks)
    onTestFinished(() => {
      vi.unstubAllEnvs()
      process.kill(Number(readFileSync(join(marks, 'pid'), 'utf8')))
    })
    const launch = forkHunter({ loading: 60_000, playing: 4_000 })
    const file = compiled('deadly-agent')
    const result = await runHunt({ ...request, file, moments: 1 }, launch, signal, () => {})
    const [finding] = result.findings
    expect(finding).toMatchObject({
      kind: 'ends-process',
      times: 2,
      what: 'the process was ended by SIGKILL',
    })
    expect(finding!.cases).toEqual(result.skipped.map(({ number }) => number))
    expect(result).toMatchObject({ endsWell: false, complete: true })
  })

  it('[HN5] stops if the process ends again and again, and if it ends before the first call', async () => {
    const requests: HuntRequest[] = []
    const dies =
      (one: number): Launch =>
      async (asked) => {
        requests.push(asked)
        if (asked.limit === 0) return { how: 'result', result: { ...nothing, skipped: [viewOf(1)] } }
        return { how: 'died', case: one === 0 ? 0 : requests.length, why: 'exited with 7', output: 'boom' }
      }
    const result = await runHunt(request, dies(1), signal, () => {})
    expect(requests.map(({ skip }) => skip)).toEqual([[], [1], [1, 2], [1, 2, 3]])
    expect(result.findings).toMatchObject([{ kind: 'ends-process', times: 3, story: 'boom' }])
    await expect(runHunt(request, dies(0), signal, () => {})).rejects.toMatchObject({
      code: 'HUNT',
      message: 'the agent’s process exited with 7, before the first call\nboom',
    })
  })
})

const viewOf = (number: number): HuntResult['skipped'][number] => ({
  number,
  conversation: 'book',
  act: 'hangs-up',
  description: "the caller hangs up as soon as the tool 'book' begins",
})

const nothing: HuntResult = {
  version: 1,
  name: 'Front desk',
  seed: 1,
  moments: 60,
  planned: 10,
  complete: false,
  took: 1_000,
  endsWell: true,
  findings: [],
  cases: [{ ...viewOf(3), findings: [] }],
  skipped: [],
  coverage: [
    { what: "the tool 'book'", kind: 'tool', runs: 4, failed: 0, stopped: 2, isReal: true, hosts: [] },
    {
      what: "the tool 'pay'",
      kind: 'tool',
      runs: 0,
      failed: 0,
      stopped: 0,
      isReal: false,
      hosts: [],
      why: 'iban: Invalid string',
    },
  ],
}

const finding: HuntFinding = {
  kind: 'throws',
  severity: 'failure',
  where: 'the agent',
  title: 'the hook <b>onEnter</b> threw an error',
  what: 'it threw Error: </pre><script>alert(1)</script>',
  advice: 'Use `signal`.',
  docs: 'https://example.com/"onclick="alert(1)',
  times: 3,
  cases: [3],
  case: viewOf(3),
  line: { file: '<img>.ts', line: 1, column: 2, text: '<img src=x onerror=alert(1)>' },
  story: '<script>alert(2)</script>',
  report: '<script>alert(3)</script>',
}

describe('the result of a hunt', () => {
  it('[HN6] [HN7] is a table with what never ran, what waited for something real, and whether all calls were played', () => {
    const lines = formatHunt({ ...nothing, findings: [finding], endsWell: false }, request, undefined)
    const text = lines.join('\n')
    expect(text).toMatch(/^✗ {2}the hook .* threw an error {2} {4}3 {5}3 {2}<img>\.ts:1$/m)
    expect(text).toContain("Never ran: the tool 'pay' (iban: Invalid string)")
    expect(text).toMatch(/^Waited for something real, .*: the tool 'book'$/m)
    expect(text).toContain('Only 1 of 10 calls were played')
    expect(text).toContain('endwell hunt agent.ts --seed 1 --case 3')
  })

  it('[HN7] is a page on which nothing of the agent becomes markup', () => {
    const page = huntPage({ ...nothing, findings: [finding], endsWell: false }, request)
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page).not.toMatch(/<img|<b>|" ?onclick/)
    expect(page).toContain('&lt;script&gt;alert(2)&lt;/script&gt;')
    expect(page).toContain('Use <code>signal</code>.')
  })
})
