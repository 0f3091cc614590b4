import type { Glyphs, Piece } from './report-pen.ts'
import { timeText } from './terminal-text.ts'

/** A deadline this much later than the end is still drawn on the axis; a later one would squash what happened. */
const DEADLINE_REACH = 1.25
/** Columns from one tick to the next, at the least. */
const TICK_ROOM = 8

/** Distances between ticks that people count in: milliseconds, seconds, minutes, hours. */
const steps = [
  ...[0.01, 0.1, 1, 10, 100, 1_000].flatMap((unit) => [unit, 2 * unit, 5 * unit]),
  ...[10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200].map((s) => s * 1_000),
]

/** Milliseconds from the ask, as columns. A column is a moment: a bar covers that of its begin and that of its end. */
export class TimeAxis {
  readonly columns: number
  /** Where the deadline is, if it is on the axis. */
  readonly deadlineColumn: number | undefined
  readonly #end: number
  readonly #deadline: number

  constructor(took: number, deadline: number, columns: number) {
    this.columns = columns
    this.#deadline = deadline
    const near = deadline > 0 && deadline <= took * DEADLINE_REACH
    this.#end = near ? Math.max(took, deadline) : took
    this.deadlineColumn = near ? this.column(deadline) : undefined
  }

  column(at: number): number {
    if (this.#end === 0) return 0
    const share = Math.min(1, Math.max(0, at / this.#end))
    return Math.round(share * (this.columns - 1))
  }

  /** Whether a moment lies so far before the axis begins that it could be seen. */
  isBefore(at: number): boolean {
    return at < 0 && -at > this.#end / this.columns / 2
  }

  /** The labels and the ruler; `room` is how far they may reach. */
  draw(glyphs: Glyphs, room: number): Piece[][] {
    const ticks = this.#ticks()
    let labels = ' '.repeat(room)
    const put = (text: string, column: number): void => {
      const end = column + text.length
      const taken = labels.slice(Math.max(0, column - 1), end + 1).trim() !== ''
      if (!taken && end <= room) labels = labels.slice(0, column) + text + labels.slice(end)
    }
    if (this.deadlineColumn !== undefined) {
      const text = `deadline ${timeText(this.#deadline)}`
      put(text, Math.min(this.deadlineColumn, room - text.length))
    }
    for (const at of ticks) put(at === 0 ? '0' : timeText(at), this.column(at))
    return [[{ text: labels, style: 'quiet' }], [{ text: this.#ruler(glyphs, ticks, room), style: 'quiet' }]]
  }

  #ruler({ axis, deadline, later }: Glyphs, ticks: readonly number[], room: number): string {
    const cells = Array.from({ length: this.columns }, () => axis.line)
    for (const at of ticks) cells[this.column(at)] = axis.tick
    cells[0] = axis.first
    if (this.deadlineColumn !== undefined) cells[this.deadlineColumn] = deadline
    if (this.deadlineColumn !== undefined || this.#deadline <= this.#end) return cells.join('')
    const farther = ` ${later} deadline ${timeText(this.#deadline)}`
    return cells.join('').slice(0, room - farther.length) + farther
  }

  #ticks(): number[] {
    const fits = (step: number): boolean => {
      const label = Math.max(timeText(step).length, timeText(this.#end - (this.#end % step)).length)
      return (step / this.#end) * (this.columns - 1) >= Math.max(TICK_ROOM, label + 2)
    }
    const step = steps.find(fits) ?? this.#end
    return Array.from({ length: Math.floor(this.#end / step) + 1 }, (_, index) => index * step)
  }
}
