import type { Glyphs } from './glyphs.ts'
import type { StyledText } from './line-formatter.ts'
import { timeText } from './terminal-text.ts'

/** A deadline up to this many times the duration is drawn on the axis. A later one would squash the bars. */
const DEADLINE_REACH = 1.25
/** Minimum columns between two ticks. */
const TICK_ROOM = 8

/** Round distances between ticks: milliseconds, seconds, minutes, hours. */
const steps = [
  ...[0.01, 0.1, 1, 10, 100, 1_000].flatMap((unit) => [unit, 2 * unit, 5 * unit]),
  ...[10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200].map((s) => s * 1_000),
]

/** Maps milliseconds since the close request to columns. A bar covers the columns of its begin and of its end. */
export class TimeAxis {
  readonly columns: number
  /** The column of the deadline, if it is on the axis. */
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

  /** Whether a moment is visibly earlier than the beginning of the axis. */
  isBefore(at: number): boolean {
    return at < 0 && -at > this.#end / this.columns / 2
  }

  /** Draws the labels and the ruler into `room` columns. */
  draw(glyphs: Glyphs, room: number): StyledText[][] {
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
