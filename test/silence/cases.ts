import type { Activity, Silence } from './measure.ts'
import { vendors, type SilentVendor } from './vendors.ts'

export interface SilenceCase {
  readonly vendor: SilentVendor
  readonly silence: Silence
  /** Milliseconds within which the silence has to be noticed. */
  readonly within: number
}

const activities: Readonly<Record<'hear' | 'ask', Activity>> = {
  hear: 'the caller talks',
  ask: 'the agent waits',
}

/** Every vendor in every silence that it must notice. With pongs and nothing owed, silence is no fault. */
export const cases: readonly SilenceCase[] = vendors.flatMap((vendor) => [
  ...vendor.uses.flatMap((use) =>
    [true, false].map((pongs) => ({ vendor, silence: { during: activities[use], pongs }, within: 10_500 })),
  ),
  { vendor, silence: { during: 'nothing', pongs: false }, within: vendor.idleWithin ?? 10_500 },
])
