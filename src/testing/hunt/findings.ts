import { formatSession } from '../../session/index.ts'
import type { CallRecord } from './call-record.ts'
import { lineOf } from './code-lines.ts'
import { docsFor, kindTexts, type CodeLine, type Found, type HuntFinding } from './finding.ts'
import { viewOf, type HuntCase } from './hunt-case.ts'

/** How many numbers of cases a finding lists. */
const LISTED = 100

/** What was found so far, by kind and part of the agent. */
export class Findings {
  readonly #byKey = new Map<string, Gathered>()

  /** Adds what was found in a call. Returns the keys. */
  add(record: CallRecord, found: readonly Found[]): string[] {
    const byKey = new Map(found.map((each) => [keyOf(each), each]))
    for (const [key, one] of byKey) {
      const known = this.#byKey.get(key)
      if (known) known.add(record, one)
      else this.#byKey.set(key, new Gathered(record, one))
    }
    return [...byKey.keys()]
  }

  /** All of them, the most frequent first. */
  get all(): Gathered[] {
    return [...this.#byKey.values()].toSorted((one, other) => other.times - one.times)
  }

  /** Those that were seen often enough to count. */
  get often(): Gathered[] {
    return this.all.filter(({ times, smallest }) => times >= (kindTexts[smallest.found.kind].needs ?? 1))
  }
}

/** Findings with the same key are one. */
export function keyOf({ kind, where }: Found): string {
  return `${kind} ${where}`
}

/** One finding, in all calls that have it. */
export class Gathered {
  readonly #cases: number[] = []
  smallest: { readonly record: CallRecord; readonly found: Found }
  times: number
  line: CodeLine | undefined
  /** Whether it happened again when its smallest case was replayed. */
  isConfirmed = true

  constructor(record: CallRecord, found: Found) {
    this.smallest = { record, found }
    this.times = 1
    this.#cases.push(record.case.number)
  }

  get key(): string {
    return keyOf(this.smallest.found)
  }

  add(record: CallRecord, found: Found): void {
    this.times++
    if (this.#cases.length < LISTED) this.#cases.push(record.case.number)
    if (sizeOf(record.case) < sizeOf(this.smallest.record.case)) this.smallest = { record, found }
  }

  /** The smallest case was replayed, and shows it again. */
  confirm(record: CallRecord, found: Found): void {
    this.smallest = { record, found }
    this.line ??= lineOf(found.stack)
  }

  /** `real` are the functions that wait for something real. */
  toFinding(real: ReadonlySet<string>): HuntFinding {
    const { record, found } = this.smallest
    const { severity, title, advice } = kindTexts[found.kind]
    const [report] = record.reports
    const again = this.isConfirmed ? '' : '. It did not happen again when the case was replayed'
    const isReal = real.has(found.where) ? '. It waits for something real, which may be the reason' : ''
    return {
      kind: found.kind,
      severity: this.isConfirmed ? severity : 'warning',
      where: found.where,
      title: title(found.where),
      what: `${found.what}${again}${isReal}`,
      advice,
      docs: docsFor(found.kind),
      times: this.times,
      cases: this.#cases,
      case: viewOf(record.case),
      ...(this.line ? { line: this.line } : {}),
      story: record.story,
      report: report ? formatSession(report, { transcript: true }) : '',
    }
  }
}

/** How much happens in a case: troubles, tools, what is less ordinary than a hang-up, and how late it happens. */
function sizeOf({ trouble, conversation, act, moment, number }: HuntCase): number {
  const { path, isSpoken } = conversation
  const others = Number(act !== 'hangs-up' && act !== 'finishes') + Number(isSpoken)
  const late = moment ? moment.nth * 1e4 + Math.min(moment.after, 9_999) : 0
  return Number(trouble !== undefined) * 1e12 + path.length * 1e11 + others * 1e10 + late * 1e4 + number
}
