import { assert, boolean, double, integer, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inVirtualTime, type World } from '../testing/index.ts'
import {
  Scope,
  formatReport,
  limits,
  type ChildReport,
  type ScopeReport,
  type StepReport,
  type TaskReport,
} from './index.ts'
import { textWidth } from './terminal-text.ts'

const never = (): Promise<never> => new Promise(() => {})
const patient = ({ until }: { until: (promise: Promise<never>) => Promise<never> }): Promise<never> =>
  until(never())

/** A resource whose close takes so long, or for ever, and may throw in the end. */
function closing(clock: World['clock'], ms: number, error?: Error) {
  const close = async (): Promise<void> => {
    await (ms === Infinity ? never() : clock.elapse(ms))
    if (error) throw error
  }
  return { close, abort() {} }
}

/** A report of a close in which nothing had to end. */
function aReport(parts: Partial<ScopeReport> = {}): ScopeReport {
  return {
    version: 1,
    name: 'call',
    reason: 'requested',
    askedAt: '2026-01-01T00:00:00.000Z',
    lived: 60_000,
    took: 100,
    closeTimeout: 5_000,
    phases: ['tasks', 'resources'],
    clean: true,
    alsoAsked: [],
    steps: [],
    tasks: [],
    children: [],
    problems: [],
    totals: { ended: 0, cancelled: 0, failed: 0, abandoned: 0, closer: 0 },
    omitted: 0,
    ...parts,
  }
}

function aTask(name: string, parts: Partial<TaskReport> = {}): TaskReport {
  return { name, kind: 'task', phase: 'tasks', outcome: 'cancelled', at: 10, ...parts }
}

function aStep(name: string, parts: Partial<StepReport> = {}): StepReport {
  const healthy = { kind: 'resource', phase: 'resources', outcome: 'done', at: 10, took: 10 } as const
  return { name, ...healthy, forced: false, ...parts }
}

function aChild(report: ScopeReport, parts: Partial<ChildReport> = {}): ChildReport {
  return { phase: 'tasks', at: 0, askedAt: 0, report, ...parts }
}

/** The first line that says `text`. */
function lineWith(text: string, printed: string): string {
  return printed.split('\n').find((line) => line.includes(text)) ?? `no line says ${text}`
}

async function badClose({ clock }: World): Promise<ScopeReport> {
  const call = new Scope('call 7f3a', { clock, closeTimeout: 2_000, taskCap: 200, releaseTimeout: 500 })
  call.spawn('mixer', patient)
  call.spawn('crm lookup', never)
  call.spawn('book a table', patient, { shield: 800 })
  call.spawn('guardrail', async (context) => {
    await patient(context).catch(() => {})
    throw new TypeError('no score')
  })
  const turn = call.child('turn 12')
  turn.spawn('llm stream', patient)
  turn.child('tool').spawn('fetch', never)
  call.own('tts link', closing(clock, 30, Object.assign(new Error('hang up'), { code: 'ECONNRESET' })))
  call.own('stt link', closing(clock, Infinity), { cap: 500 })
  call.own('line', closing(clock, 120))
  call.defer('write transcript', () => clock.elapse(2_100))
  call.after(10, 'tick', () => {
    throw new RangeError('tock')
  })
  await clock.elapse(3_000)
  const report = call.close({ reason: 'caller-hung-up', by: 'line' })
  await clock.elapse(200)
  call.close({ reason: 'host-draining', by: 'host' }).catch(() => {})
  return report
}

describe('the picture', () => {
  it('of a healthy close is calm, and scaled to what happened', () =>
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
          lived 3 min 12 s, asked to close at 2026-01-01T00:03:12.000Z

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

          its own tasks, over its whole life: 2 cancelled
          ┄ shielded"
      `)
    }))

  it('of a bad close names the culprits first and makes them stand out', () =>
    inVirtualTime(async (world) => {
      expect(`\n${formatReport(await badClose(world), { width: 88 })}`).toMatchInlineSnapshot(`
        "
        ✗ call 7f3a · NOT clean · 1.8 s of 2 s · reason: caller-hung-up · by: line
          abandoned: crm lookup, turn 12/tool/fetch · timed-out: stt link
          failed: guardrail, tts link · pending: write transcript · problems: timer 'tick'
          lived 3 s, asked to close at 2026-01-01T00:00:03.000Z

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
        ✗   timer 'tick', 2.99 s before the ask: RangeError: tock

          also asked: host-draining, by host, at 200 ms
          its own tasks, over its whole life: 2 cancelled · 1 failed · 1 abandoned
          ┄ shielded · ▸ still running"
      `)
    }))

  it('can be drawn with ASCII alone', () =>
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

  it('says the same in colour', () =>
    inVirtualTime(async (world) => {
      const report = await badClose(world)
      const coloured = formatReport(report, { color: true })
      expect(coloured).toContain('\x1b[31mcrm lookup\x1b[0m')
      expect(coloured.replaceAll(/\p{Cc}\[\d+m/gu, '')).toBe(formatReport(report))
      expect(formatReport(report)).not.toContain('\x1b')
    }))

  it('of a report that was stored as JSON is the same', () =>
    inVirtualTime(async (world) => {
      const report = await badClose(world)
      expect(formatReport(JSON.parse(JSON.stringify(report)) as ScopeReport)).toBe(formatReport(report))
    }))

  it('of a close that took no time has an axis of one moment', () => {
    const report = aReport({ took: 0, tasks: [aTask('mixer', { at: 0 })] })
    expect(`\n${formatReport(report, { width: 60 })}`).toMatchInlineSnapshot(`
      "
      ✓ call · clean · 0 ms of 5 s · reason: requested
        lived 1 min, asked to close at 2026-01-01T00:00:00.000Z

                      0
                      ├──────────────────────── ▸ deadline 5 s
        tasks
          mixer       ╸                          cancelled    0 ms

        its own tasks, over its whole life: none"
    `)
  })

  it('of a scope that owned nothing says so', () => {
    expect(`\n${formatReport(aReport({ took: 0 }))}`).toMatchInlineSnapshot(`
      "
      ✓ call · clean · 0 ms of 5 s · reason: requested
        lived 1 min, asked to close at 2026-01-01T00:00:00.000Z

        nothing was left to end

        its own tasks, over its whole life: none"
    `)
  })
})

describe('the headline', () => {
  it('[SC9] names an abandoned task, however deep it is', () =>
    inVirtualTime(async (world) => {
      const printed = formatReport(await badClose(world))
      expect(printed).toContain('abandoned: crm lookup, turn 12/tool/fetch')
      expect(lineWith(' fetch ', printed)).toMatch(/^✗ +fetch +█+▸ +┊ +abandoned +1.8 s$/)
    }))

  it('[SC12] names what was cut off, and what could not begin', () =>
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

  it('counts culprits of one name, and those beyond the first few', () => {
    const names = ['poll', 'poll', 'poll', 'b', 'c', 'd', 'e']
    const tasks = names.map((name) => aTask(name, { outcome: 'abandoned' }))
    expect(formatReport(aReport({ clean: false, tasks }))).toContain(
      '  abandoned: poll (3 times), b, c and 2 more\n',
    )
  })

  it('keeps the name of a culprit when the way to it is too long', () => {
    const leaf = aReport({ name: 'x'.repeat(40), tasks: [aTask('poll', { outcome: 'abandoned' })] })
    expect(formatReport(aReport({ clean: false, children: [aChild(leaf)] }))).toContain('abandoned: …/poll\n')
  })

  it('says by how much a blocked thread missed the deadline', () => {
    const printed = formatReport(aReport({ took: 5_400, tasks: [aTask('mixer')] }))
    expect(printed).toContain('5.4 s, 400 ms past the deadline of 5 s')
    expect(lineWith('mixer', printed)).toMatch(/╸ +┊ +cancelled/)
  })

  it('does not call an abort late', () => {
    expect(formatReport(aReport({ took: 0.3, closeTimeout: 0 }))).toContain('clean · 0.3 ms, no time given')
  })
})

describe('the axis', () => {
  it('shows a near deadline as a line at one column of every bar', () => {
    const tasks = [aTask('a', { at: 4_700 }), aTask('b')]
    const lines = formatReport(aReport({ took: 4_700, tasks })).split('\n')
    const drawn = lines.filter((line) => line.includes('┊'))
    expect(drawn).toHaveLength(4)
    expect(new Set(drawn.map((line) => line.indexOf('┊'))).size).toBe(1)
    expect(lines.find((line) => line.includes('deadline'))?.indexOf('deadline')).toBe(drawn[0]?.indexOf('┊'))
  })

  it('only says where a far deadline is', () => {
    const printed = formatReport(aReport({ took: 100, tasks: [aTask('a', { at: 100 })] }))
    expect(printed).toContain('─┴ ▸ deadline 5 s\n')
    expect(lineWith('  a ', printed)).toMatch(/a +━{60,} {2}cancelled/)
  })

  it.each([
    [0.4, '0 0.1 ms 0.2 ms 0.3 ms 0.4 ms'],
    [7, '0 1 ms 2 ms 3 ms 4 ms 5 ms 6 ms 7 ms'],
    [999, '0 200 ms 400 ms 600 ms 800 ms'],
    [61_000, '0 10 s 20 s 30 s 40 s 50 s 1 min'],
    [7_500_000, '0 30 min 1 h 1 h 30 min 2 h'],
  ])('of %d ms counts in steps that people count in', (took, ticks) => {
    const printed = formatReport(aReport({ took, closeTimeout: 1e9, tasks: [aTask('a')] }), { width: 100 })
    const labels = printed.split('\n').find((line) => line.trim().startsWith('0 '))
    expect(labels?.trim().replaceAll(/ +/g, ' ')).toBe(ticks)
  })
})

describe('a child', () => {
  it('that was told to close has its rows on the axis of its parent', () =>
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

  it('that was closing already began before the axis does, for its own reason', () =>
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
      expect(printed).toContain('└ closing already, for 50 ms: idle, by watchdog\n')
      expect(lineWith('quick', printed)).toMatch(/quick +◂ +cancelled +0 ms/)
      expect(lineWith('  link', printed)).toMatch(/link +◂━+ +done +150 ms/)
      expect(lineWith('  link', printed).lastIndexOf('━')).toBe(lineWith('journal', printed).indexOf('━'))
      expect(printed).toContain('◂ began before the ask')
    }))

  it('tells its problems and later asks with the way to it and in the time of the whole', () => {
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
    expect(printed).toContain('also asked: turn/again, at 17 ms\n')
    expect(printed).toContain('left out of the report: 5 entries\n')
  })
})

describe('a row', () => {
  it('draws the time under a shield differently', () => {
    const printed = formatReport(aReport({ tasks: [aTask('tool', { cancelledAt: 60, at: 100 })] }))
    expect(lineWith('tool', printed)).toMatch(/tool +┄{36,}━{24,} {2}cancelled +100 ms/)
    expect(printed).toContain('┄ shielded')
  })

  it('comes after those that began before it, and those that ended before it', () => {
    const steps = [aStep('c', { at: 20 }), aStep('b', { took: 30 }), aStep('a', { took: 20 })]
    const printed = formatReport(aReport({ steps }))
    expect(printed.match(/^ {4}\w/gm)?.map((start) => start.trim())).toEqual(['a', 'b', 'c'])
  })

  it('shows what kind of thing it is, unless that leaves no room for the name', () => {
    const steps = [aStep('flush', { kind: 'deferred' })]
    expect(formatReport(aReport({ steps }))).toContain('    flush (deferred)  ')
    let report = aReport({ steps })
    for (let depth = 0; depth < 20; depth++) report = aReport({ children: [aChild(report)] })
    expect(lineWith('flush', formatReport(report, { width: 60, ascii: true }))).toMatch(/flush {2,}/)
  })

  it('of the task that asked for the close says that nobody waited for it', () => {
    const printed = formatReport(aReport({ tasks: [aTask('agent', { outcome: 'closer', at: 100 })] }))
    expect(lineWith('agent', printed)).toMatch(/^ +agent +━+▸ {2}closer /)
    expect(printed).toContain('closer: asked for this close itself')
  })

  it('has its error below it, in three lines at the most', () => {
    const error = { name: 'Error', message: 'word '.repeat(90).trim(), code: 'LATE' }
    const tasks = [aTask('tool', { outcome: 'failed', error })]
    const lines = formatReport(aReport({ clean: false, tasks }), { width: 80 }).split('\n')
    const first = lines.findIndex((line) => line.includes('└'))
    expect(lines.slice(first - 1, first + 4)).toEqual([
      expect.stringContaining('✗   tool'),
      expect.stringMatching(/^ {6}└ Error: word( word)+$/),
      expect.stringMatching(/^ {8}word( word)+$/),
      expect.stringMatching(/^ {8}word( word)+ w…$/),
      '',
    ])
  })

  it('stands in the phase it belongs to, and the phases in the order they ran in', () => {
    const printed = formatReport(
      aReport({
        phases: ['first', 'second', 'third', 'last', 'empty'],
        tasks: [aTask('db', { kind: 'opening', phase: 'last' }), aTask('mixer', { phase: 'first' })],
        steps: [aStep('c', { phase: 'third', at: 30 }), aStep('b', { phase: 'second', at: 20 })],
      }),
    )
    const names = printed.split('\n').flatMap((line) => /^ {2,4}([a-z]\S*)( {2}|$)/.exec(line)?.[1] ?? [])
    expect(names).toEqual(['first', 'mixer', 'second', 'b', 'third', 'c', 'last'])
    expect(printed).toContain('    db (opening)  ')
  })
})

describe('many rows', () => {
  it('that are alike and healthy become one line, the slowest excepted', () => {
    const tasks = Array.from({ length: 190 }, (_, index) => aTask(`poll ${index}`, { at: 3 }))
    const slow = ['one', 'two', 'three', 'four', 'five', 'six'].map((name, index) =>
      aTask(name, { at: 50 + index }),
    )
    const stuck = aTask('stuck', { outcome: 'abandoned', at: 100 })
    const printed = formatReport(aReport({ clean: false, tasks: [...tasks, ...slow, stuck] }))
    expect(printed.split('\n').length).toBeLessThan(22)
    expect(printed).toContain('    six ')
    expect(printed).toContain('\n    … and 190 more tasks, cancelled within 3 ms\n✗   stuck ')
    expect(printed).not.toContain('poll')
  })

  it('that went wrong are shown longer, and the others counted with a mark', () => {
    const tasks = Array.from({ length: 60 }, (_, index) => aTask(`poll ${index}`, { outcome: 'abandoned' }))
    const printed = formatReport(aReport({ clean: false, tasks }))
    expect(printed.match(/^✗ +poll/gm)).toHaveLength(16)
    expect(printed).toContain('\n✗   … and 44 more tasks, abandoned\n')
  })

  it('of healthy children do not show what is inside of them', () => {
    const inside = aReport({ tasks: [aTask('inside')] })
    const few = [1, 2, 3].map(() => aChild(inside))
    expect(formatReport(aReport({ children: few })).match(/inside/g)).toHaveLength(3)
    const printed = formatReport(aReport({ children: Array(13).fill(few[0]) }))
    expect(printed).toContain('… and 7 more scopes, clean within 100 ms')
    expect(printed).not.toContain('inside')
  })

  it('of a huge tree end somewhere, and say so', () => {
    const bad = aReport({ clean: false, tasks: [aTask('stuck', { outcome: 'abandoned' })] })
    const nested = (depth: number): ScopeReport =>
      depth === 0 ? bad : aReport({ clean: false, children: Array(12).fill(aChild(nested(depth - 1))) })
    const printed = formatReport(nested(3))
    expect(printed.split('\n').length).toBeLessThan(520)
    expect(printed).toMatch(/\n✗ … and \d+ more rows: see the report itself\n/)
  })
})

describe('a text from outside', () => {
  const evil = '\x1b[2Jgone\x07\r\n\x9b31mred\u202eleft\u2028line\u{e0041}'

  it('cannot control the terminal', () => {
    const error = { name: evil, message: evil, code: evil }
    const child = aReport({
      name: evil,
      reason: evil,
      by: evil,
      phases: [evil],
      tasks: [aTask(evil, { phase: evil, error })],
    })
    const report = aReport({
      name: evil,
      reason: evil,
      by: evil,
      askedAt: evil,
      phases: [evil],
      tasks: [aTask(evil, { outcome: 'failed', phase: evil, error })],
      children: [aChild(child)],
      alsoAsked: [{ reason: evil, by: evil, at: 1 }],
      problems: [{ where: evil, at: -1, error }],
    })
    const printed = formatReport(report, { width: 400 })
    expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(printed).toContain(String.raw`\x1b[2Jgone\x07\r\n\x9b31mred\u{202e}left\u{2028}line\u{e0041}`)
  })

  it('keeps its columns, whatever it is written in', () => {
    const names = ['plain', '通話の録音', '전화', '👩‍👩‍👧‍👦 family', '❤️', 'e\u0301te\u0301', '🇫🇷', 'ｗｉｄｅ']
    const lines = formatReport(aReport({ tasks: names.map((name) => aTask(name)) })).split('\n')
    const rows = lines.filter((line) => line.includes('cancelled') && line.includes('ms'))
    const widths = rows.map((line) => textWidth(line.slice(0, line.indexOf('━'))))
    expect(new Set(widths).size).toBe(1)
    expect(lines).toContainEqual(expect.stringContaining('    👩‍👩‍👧‍👦 family  '))
    expect(textWidth('通話')).toBe(4)
    expect(textWidth('👩‍👩‍👧‍👦')).toBe(2)
  })

  it.each([
    ['half a character', 'a\ud800b', /^ {4}a\ufffdb {2}/],
    ['a pile of accents', `e${'\u0301'.repeat(900)}`, /^ {4}e\u0301{3} {2}/],
    ['a chain of joined emoji', '👩\u200d'.repeat(5_000), /^.{400,1100}$/],
  ])('stays readable if it is %s', (_, name, expected) => {
    expect(lineWith('cancelled', formatReport(aReport({ tasks: [aTask(name)] })))).toMatch(expected)
  })

  it('is clipped where it is too long', () => {
    const printed = formatReport(
      aReport({ tasks: [aTask('a name that is '.repeat(9)), aTask('録音'.repeat(40))] }),
    )
    expect(lineWith('a name', printed)).toMatch(/^ {4}a name that is .*… +━+ +cancelled/)
    expect(lineWith('録音', printed)).toMatch(/^ {4}(録音)+録?… +━+ +cancelled/)
  })

  it('never makes a line wider than asked for, nor does a deep tree', () => {
    const text = string({ unit: 'binary', maxLength: 60 })
    const totals = { ended: 1e6, cancelled: 1e6, failed: 1e6, abandoned: 1e6, closer: 1e6 }
    const time = double({ min: 0, max: 1e7, noNaN: true })
    const width = integer({ min: 60, max: 130 })
    assert(
      property(text, time, time, width, boolean(), (name, took, deadline, columns, ascii) => {
        const error = { name, message: name.repeat(9), code: name }
        const tasks = [
          aTask(name, { outcome: 'failed', at: took / 2, error }),
          aTask(name, { kind: 'opening', phase: 'resources', at: took }),
        ]
        const steps = [aStep(name, { kind: 'deferred', outcome: 'pending', at: took / 3, took: took / 2 })]
        const problems = [{ where: name, at: -took, error }]
        const parts = { name, reason: name, by: name, took, deadline, tasks, steps, problems, totals }
        let report = aReport({ ...parts, clean: false })
        for (let depth = 0; depth < 9; depth++) {
          const children = [aChild(report, { askedAt: -took / 7 })]
          report = aReport({ ...parts, children, alsoAsked: [{ reason: name, at: took }] })
        }
        const lines = formatReport(report, { width: columns, ascii }).split('\n')
        expect(lines.filter((line) => textWidth(line) > columns || line !== line.trimEnd())).toEqual([])
      }),
      { seed: 1, numRuns: 25 },
    )
  })
})

it('indents a deep tree less, rather than not at all', () => {
  let report = aReport({ name: 'level 0' })
  for (let depth = 1; depth < 8; depth++) {
    report = aReport({ name: `level ${depth}`, children: [aChild(report)] })
  }
  const indents = formatReport(report).match(/^ +(?=level)/gm) ?? []
  expect(indents.map((indent) => indent.length)).toEqual([3, 5, 7, 9, 11, 13, 15])
})

it('prints a tree as deep as a tree can be', () => {
  let report = aReport({ name: 'bottom', tasks: [aTask('last')] })
  for (let depth = 0; depth < limits.depth; depth++) {
    report = aReport({ name: `level ${depth}`, children: [aChild(report)] })
  }
  expect(formatReport(report)).toMatch(/ +last +━+ +cancelled/)
})

it.each([0, -1, Number.NaN, Infinity])('writes 96 columns if told to write %d', (width) => {
  const report = aReport({ tasks: [aTask('a')] })
  expect(formatReport(report, { width })).toBe(formatReport(report, { width: 96 }))
})

it.each([
  [1, 60],
  [1e9, 400],
])('does not write %d columns, but %d', (width, columns) => {
  const report = aReport({ tasks: [aTask('a')] })
  expect(formatReport(report, { width })).toBe(formatReport(report, { width: columns }))
})
