import { describe, expect, it } from 'vitest'
import { formatReport } from '../../src/report/index.ts'
import { Scope, limits, type ScopeReport } from '../../src/scope/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import { aChild, aReport, aTask, badClose, closing, lineWith, patient } from './samples.ts'

describe('formatReport', () => {
  it('prints a healthy close on an axis as long as the close', () =>
    inVirtualTime(async ({ clock }) => {
      const call = new Scope('call 7f3a', { clock, phases: ['work', 'links'] })
      call.spawn('mixer', patient)
      call.spawn('book a table', patient, { shield: 60 })
      const turn = call.child('turn 12')
      turn.spawn('llm stream', patient)
      turn.own('llm link', closing(clock, 45))
      call.own('stt link', closing(clock, 120))
      call.own('line', closing(clock, 12))
      call.defer('write transcript', () => clock.elapse(60))
      await clock.elapse(192_000)
      const report = await call.close({ reason: 'caller-hung-up', by: 'line' })
      expect(`\n${formatReport(report, { width: 80 })}`).toMatchInlineSnapshot(`
        "
        ✓ call 7f3a · clean · 180 ms of 5 s · reason: caller-hung-up · by: line
          open for 3 min 12 s, close began at 2026-01-01T00:03:12.000Z

                                         0              100 ms
                                         ├──────────────┴──────────── ▸ deadline 5 s
          work
            mixer                        ╸                             cancelled    0 ms
            book a table                 ┄┄┄┄┄┄┄┄┄━                    cancelled   60 ms
            turn 12 (scope)              ├──────┤                      clean       45 ms
              tasks
                llm stream               ╸                             cancelled    0 ms
              resources
                llm link                 ━━━━━━━━                      done        45 ms
          links
            line                                  ━━━                  done        12 ms
            write transcript (deferred)           ━━━━━━━━━━           done        60 ms
            stt link                              ━━━━━━━━━━━━━━━━━━━  done       120 ms

          own tasks in total: 2 cancelled
          ┄ shielded"
      `)
    }))

  it('names what went wrong first, and marks it', () =>
    inVirtualTime(async (world) => {
      expect(`\n${formatReport(await badClose(world), { width: 88 })}`).toMatchInlineSnapshot(`
        "
        ✗ call 7f3a · NOT clean · 1.8 s of 2 s · reason: caller-hung-up · by: line
          abandoned: crm lookup, turn 12/tool/fetch · timed-out: stt link
          failed: guardrail, tts link · pending: write transcript · problems: timer 'tick'
          open for 3 s, close began at 2026-01-01T00:00:03.000Z

                                         0        500 ms   1 s     1.5 s    deadline 2 s
                                         ├────────┴────────┴───────┴────────┊
          tasks                                                             ┊
        ✗   guardrail                    ✗                                  ┊  failed       0 ms
              └ TypeError: no score
            mixer                        ╸                                  ┊  cancelled    0 ms
            book a table                 ┄┄┄┄┄┄┄┄┄┄┄┄┄┄━                    ┊  cancelled  800 ms
        ✗   crm lookup                   ████████████████████████████████▸  ┊  abandoned   1.8 s
        ✗   turn 12 (scope)              ├───────────────────────────────┤  ┊  not clean   1.8 s
              tasks                                                         ┊
                llm stream               ╸                                  ┊  cancelled    0 ms
        ✗       tool (scope)             ├───────────────────────────────┤  ┊  not clean   1.8 s
                  tasks                                                     ┊
        ✗           fetch                ████████████████████████████████▸  ┊  abandoned   1.8 s
          resources                                                         ┊
        ✗   tts link                         ✗                              ┊  failed      30 ms
              └ Error: hang up (ECONNRESET)
            line                             ━━━                            ┊  done       120 ms
        ✗   stt link                         ████████✗                      ┊  timed-out  500 ms
        !   write transcript (deferred)      ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▸  ┊  pending     1.6 s

          problems
        ✗   timer 'tick', 2.99 s before the close: RangeError: tock

          also requested: host-draining, by host, at 200 ms
          own tasks in total: 2 cancelled · 1 failed · 1 abandoned
          ┄ shielded · ▸ still running"
      `)
    }))

  it('can draw with ASCII characters only', () =>
    inVirtualTime(async (world) => {
      const printed = formatReport(await badClose(world), { width: 80, ascii: true })
      expect(printed).toMatch(/^[\n -~]*$/)
      expect(lineWith('crm lookup  ', printed)).toMatchInlineSnapshot(
        `"X   crm lookup                   ########################>  :  abandoned   1.8 s"`,
      )
      expect(lineWith('write', printed.slice(printed.indexOf('deadline')))).toMatchInlineSnapshot(
        `"!   write transcript (deferred)     ~~~~~~~~~~~~~~~~~~~~~>  :  pending     1.6 s"`,
      )
      expect(lineWith('book a table', printed)).toMatchInlineSnapshot(
        `"    book a table                 ...........=               :  cancelled  800 ms"`,
      )
    }))

  it('prints the same text in colour', () =>
    inVirtualTime(async (world) => {
      const report = await badClose(world)
      const coloured = formatReport(report, { color: true })
      expect(coloured).toContain('\x1b[31mcrm lookup\x1b[0m')
      expect(coloured.replaceAll(/\p{Cc}\[\d+m/gu, '')).toBe(formatReport(report))
      expect(formatReport(report)).not.toContain('\x1b')
    }))

  it('prints a report that was stored as JSON', () =>
    inVirtualTime(async (world) => {
      const report = await badClose(world)
      expect(formatReport(JSON.parse(JSON.stringify(report)) as ScopeReport)).toBe(formatReport(report))
    }))

  it('prints a close that took no time', () => {
    const report = aReport({ took: 0, tasks: [aTask('mixer', { at: 0 })] })
    expect(`\n${formatReport(report, { width: 60 })}`).toMatchInlineSnapshot(`
      "
      ✓ call · clean · 0 ms of 5 s · reason: requested
        open for 1 min, close began at 2026-01-01T00:00:00.000Z

                      0
                      ├──────────────────────── ▸ deadline 5 s
        tasks
          mixer       ╸                          cancelled    0 ms

        own tasks in total: none"
    `)
  })

  it('prints a close of a scope that owned nothing', () => {
    expect(`\n${formatReport(aReport({ took: 0 }))}`).toMatchInlineSnapshot(`
      "
      ✓ call · clean · 0 ms of 5 s · reason: requested
        open for 1 min, close began at 2026-01-01T00:00:00.000Z

        nothing to close

        own tasks in total: none"
    `)
  })
})

describe('the headline of a report', () => {
  it('[SC9] names an abandoned task, however deep it is', () =>
    inVirtualTime(async (world) => {
      const printed = formatReport(await badClose(world))
      expect(printed).toContain('abandoned: crm lookup, turn 12/tool/fetch')
      expect(lineWith(' fetch ', printed)).toMatch(/^✗ +fetch +█+▸ +┊ +abandoned +1.8 s$/)
    }))

  it('[SC12] names what was aborted and what had no time to begin', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock, closeTimeout: 100, phases: ['first', 'second'] })
      scope.own('deaf', closing(clock, Infinity), { phase: 'first' })
      scope.own('later', closing(clock, 0))
      scope.close().catch(() => {})
      scope.abort('no patience')
      const printed = formatReport(await scope.close())
      expect(printed).toContain('✗ call · NOT clean')
      expect(printed).toContain('timed-out: deaf · skipped: later')
      expect(lineWith('  later', printed)).toMatch(/^✗ +later +✗ +skipped +–$/)
    }))

  it('counts entries of the same name, and those beyond the first few', () => {
    const names = ['poll', 'poll', 'poll', 'b', 'c', 'd', 'e']
    const tasks = names.map((name) => aTask(name, { outcome: 'abandoned' }))
    expect(formatReport(aReport({ clean: false, tasks }))).toContain(
      '  abandoned: poll (3 times), b, c and 2 more\n',
    )
  })

  it('shortens a long path before the name', () => {
    const leaf = aReport({ name: 'x'.repeat(40), tasks: [aTask('poll', { outcome: 'abandoned' })] })
    expect(formatReport(aReport({ clean: false, children: [aChild(leaf)] }))).toContain('abandoned: …/poll\n')
  })

  it('says by how much the close missed its deadline', () => {
    const printed = formatReport(aReport({ took: 5_400, tasks: [aTask('mixer')] }))
    expect(printed).toContain('5.4 s, 400 ms past the deadline of 5 s')
    expect(lineWith('mixer', printed)).toMatch(/╸ +┊ +cancelled/)
  })

  it('does not call an abort() late', () => {
    expect(formatReport(aReport({ took: 0.3, closeTimeout: 0 }))).toContain('clean · 0.3 ms, no time allowed')
  })
})

describe('a child scope in a report', () => {
  it('has its rows on the axis of its parent', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock })
      const child = scope.child('turn', { phase: 'resources' })
      scope.spawn('slow', () => clock.elapse(500))
      child.own('link', closing(clock, 500))
      const report = await scope.close()
      expect(report.children).toMatchObject([{ at: 500, askedAt: 0, report: { took: 1_000 } }])
      const printed = formatReport(report)
      const end = lineWith('slow', printed).lastIndexOf('━')
      expect(lineWith('  link', printed).indexOf('━')).toBe(end)
      expect(printed).not.toContain('└')
    }))

  it('begins before the axis if it was closing already, and shows its own reason', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('host', { clock })
      const call = scope.child('call')
      call.spawn('quick', patient)
      call.own('link', closing(clock, 150))
      call.close({ reason: 'idle', by: 'watchdog' }).catch(() => {})
      await clock.elapse(50)
      scope.own('journal', closing(clock, 100))
      const report = await scope.close()
      expect(report.children).toMatchObject([{ askedAt: -50, report: { took: 150 } }])
      const printed = formatReport(report)
      expect(printed).toContain('└ already closing for 50 ms: idle, by watchdog\n')
      expect(lineWith('quick', printed)).toMatch(/quick +◂ +cancelled +0 ms/)
      expect(lineWith('  link', printed)).toMatch(/link +◂━+ +done +150 ms/)
      expect(lineWith('  link', printed).lastIndexOf('━')).toBe(lineWith('journal', printed).indexOf('━'))
      expect(printed).toContain('◂ began before the close')
    }))

  it('shows its problems and later close requests with its path, on the time axis of the whole report', () => {
    const turn = aReport({
      name: 'turn',
      clean: false,
      problems: [{ where: "listener of 'x'", at: 5, error: { name: 'Error', message: 'no' } }],
      alsoAsked: [{ reason: 'again', at: 7 }],
      omitted: 2,
    })
    const printed = formatReport(
      aReport({ clean: false, omitted: 3, children: [aChild(turn, { askedAt: 10 })] }),
    )
    expect(printed).toContain("problems: turn/listener of 'x'\n")
    expect(printed).toContain("✗   turn/listener of 'x', at 15 ms: Error: no\n")
    expect(printed).toContain('also requested: turn/again, at 17 ms\n')
    expect(printed).toContain('omitted from the report: 5 entries\n')
  })
})

it('formatReport indents a deep tree less', () => {
  let report = aReport({ name: 'level 0' })
  for (let depth = 1; depth < 8; depth++) {
    report = aReport({ name: `level ${depth}`, children: [aChild(report)] })
  }
  const indents = formatReport(report).match(/^ +(?=level)/gm) ?? []
  expect(indents.map((indent) => indent.length)).toEqual([3, 5, 7, 9, 11, 13, 15])
})

it('formatReport prints the deepest possible tree', () => {
  let report = aReport({ name: 'bottom', tasks: [aTask('last')] })
  for (let depth = 0; depth < limits.depth; depth++) {
    report = aReport({ name: `level ${depth}`, children: [aChild(report)] })
  }
  expect(formatReport(report)).toMatch(/ +last +━+ +cancelled/)
})

it.each([0, -1, Number.NaN, Infinity])('formatReport uses the default width for a width of %d', (width) => {
  const report = aReport({ tasks: [aTask('a')] })
  expect(formatReport(report, { width })).toBe(formatReport(report, { width: 96 }))
})

it.each([
  [1, 60],
  [1e9, 400],
])('formatReport limits a width of %d to %d', (width, columns) => {
  const report = aReport({ tasks: [aTask('a')] })
  expect(formatReport(report, { width })).toBe(formatReport(report, { width: columns }))
})
