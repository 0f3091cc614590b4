import { systemClock } from 'endwell/scope'

/** The appointments of a clinic. Booking takes a moment, as in a real calendar. */
export class Calendar {
  readonly #taken = new Map<string, string>([
    ['Monday 9 am', 'somebody else'],
    ['Tuesday 10 am', 'somebody else'],
  ])

  /** Books a time. Throws if it is not free; the error names a free one. */
  async book(caller: string, day: string, time: string, signal: AbortSignal): Promise<void> {
    await this.#look(1_800, signal)
    if (day === 'Sunday' || day === 'Saturday') throw new Error('closed at the weekend; Friday is free')
    if (this.#taken.has(`${day} ${time}`)) throw new Error(`taken; ${day} at 11 am is free`)
    this.cancel(caller)
    this.#taken.set(`${day} ${time}`, caller)
  }

  /** Cancels the caller's appointment. Returns its time, if there was one. */
  cancel(caller: string): string | undefined {
    for (const [when, who] of this.#taken) {
      if (who !== caller) continue
      this.#taken.delete(when)
      return when
    }
    return undefined
  }

  /** What a colleague should know about the caller. */
  summaryOf(caller: string): string {
    const [when] = [...this.#taken].find(([, who]) => who === caller) ?? []
    return when === undefined ? 'They have no appointment.' : `They have an appointment on ${when}.`
  }

  /** Saves the changes. */
  async save(): Promise<void> {}

  #look(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = systemClock.after(ms, 'the calendar', resolve)
      signal.addEventListener('abort', () => {
        timer.clear()
        reject(signal.reason as Error)
      })
    })
  }
}
