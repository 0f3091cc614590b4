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
  /** Megabytes for young objects, so many that no garbage is collected meanwhile. Default: as Node has it. */
  readonly young?: number
  /** The curve of the same work with the garbage collector. It has no target: ten sessions end before any of them is copied. */
  readonly collected?: string
}

/** One measurement, per unit. */
export interface Point {
  /** Microseconds of CPU time. */
  readonly cpu: number
  /** Kilobytes that the units hold. */
  readonly memory?: number
}

/** The points of each curve, by size. */
export type Points = Readonly<Record<string, Readonly<Record<number, Point>>>>

const ofSessions = { of: 'sessions', sizes: [10, 100, 1_000, 10_000], hasMemory: false }

export const curves = {
  idle: {
    ...ofSessions,
    title: 'sessions that start and wait',
    per: 'session',
    hasMemory: true,
    young: 2_048,
    collected: 'idleCollected',
  },
  idleCollected: { ...ofSessions, title: 'the same, with the garbage collector', per: 'session' },
  talking: {
    ...ofSessions,
    title: 'turns of such sessions: a second heard, a second spoken',
    per: 'turn',
    hasMemory: true,
    young: 2_048,
    collected: 'talkingCollected',
  },
  talkingCollected: { ...ofSessions, title: 'the same, with the garbage collector', per: 'turn' },
  closing: {
    ...ofSessions,
    title: 'healthy closes at once',
    per: 'close',
    young: 1_024,
    collected: 'closingCollected',
  },
  closingCollected: { ...ofSessions, title: 'the same, with the garbage collector', per: 'close' },
  wedged: {
    ...ofSessions,
    title: 'closes at once, each with a tool that ignores its signal',
    per: 'close',
    young: 1_024,
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

/** The curves that have a target. */
export function judgedCurves(): [CurveName, Curve][] {
  const all = Object.entries(curves) as [CurveName, Curve][]
  return all.filter(([name]) => !all.some(([, { collected }]) => collected === name))
}
