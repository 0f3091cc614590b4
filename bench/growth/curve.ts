/** How the cost of something grows with its size. */
export interface Curve {
  readonly title: string
  /** What the size counts: `sessions`. */
  readonly of: string
  /** What the figures are divided by: `session`. */
  readonly per: string
  readonly sizes: readonly number[]
  /** Whether memory is measured, too. */
  readonly hasMemory: boolean
  /** The curve of plain objects and promises that do the same. A curve cannot be flatter than that of its platform. */
  readonly floor?: string
  /** Whether this is such a curve, and has no target. */
  readonly isFloor?: true
}

/** One measurement, per unit. */
export interface Point {
  /** Microseconds of CPU time, without garbage collection. */
  readonly cpu: number
  /** Microseconds of garbage collection. */
  readonly gc: number
  /** Kilobytes that the units hold. */
  readonly memory?: number
}

/** The points of each curve, by size. */
export type Points = Readonly<Record<string, Readonly<Record<number, Point>>>>

const sessions = [10, 100, 1_000, 10_000]

export const curves = {
  idle: {
    title: 'sessions that start and wait',
    of: 'sessions',
    per: 'session',
    sizes: sessions,
    hasMemory: true,
    floor: 'bareIdle',
  },
  bareIdle: {
    title: 'the same with plain objects of that size',
    of: 'sessions',
    per: 'session',
    sizes: sessions,
    hasMemory: true,
    isFloor: true,
  },
  talking: {
    title: 'sessions that talk at once: a second heard, a second spoken',
    of: 'sessions',
    per: 'turn',
    sizes: sessions,
    hasMemory: true,
    floor: 'bareTalking',
  },
  bareTalking: {
    title: 'the same with bare async generators',
    of: 'sessions',
    per: 'turn',
    sizes: sessions,
    hasMemory: false,
    isFloor: true,
  },
  closing: {
    title: 'healthy closes at once',
    of: 'sessions',
    per: 'close',
    sizes: sessions,
    hasMemory: false,
  },
  wedged: {
    title: 'closes at once, each with a tool that ignores its signal',
    of: 'sessions',
    per: 'close',
    sizes: sessions,
    hasMemory: false,
  },
  tools: {
    title: 'tools at once in one answer',
    of: 'tools',
    per: 'tool',
    sizes: [1, 4, 16, 64],
    hasMemory: false,
  },
  history: {
    title: 'items of a history, and the messages for a model',
    of: 'items',
    per: 'item',
    sizes: [10, 100, 1_000, 5_000],
    hasMemory: true,
  },
  minutes: {
    title: 'minutes of one call, in virtual time',
    of: 'minutes',
    per: 'minute',
    sizes: [1, 5, 20, 60],
    hasMemory: true,
  },
} satisfies Record<string, Curve>

export type CurveName = keyof typeof curves
