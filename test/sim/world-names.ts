/** The worlds that can be simulated. */
export const worldNames = ['scope', 'session', 'supervisor', 'fleet', 'fallback'] as const

export type WorldName = (typeof worldNames)[number]

export const isWorld = (name: string): name is WorldName => worldNames.some((each) => each === name)
