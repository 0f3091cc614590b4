import { describe, expect, it } from 'vitest'
import { cases } from './cases.ts'
import { measure } from './measure.ts'
import { vendors } from './vendors.ts'

describe('a vendor that is connected but silent', () => {
  it.each(cases.map((each) => [each.vendor.name, each.silence.during, each.silence.pongs, each] as const))(
    '[LK11] is noticed in time: %s while %s happens, with pongs: %s',
    async (_name, _during, _pongs, { vendor, silence, within }) => {
      const { noticed } = await measure(vendor, silence)
      expect(noticed).toBeLessThanOrEqual(within)
    },
  )

  it.each(vendors.map((vendor) => [vendor.name, vendor] as const))(
    '[LK11] is not blamed while it owes nothing and answers pings: %s',
    async (_, vendor) => {
      const { noticed } = await measure(vendor, { during: 'nothing', pongs: true }, 120_000)
      expect(noticed).toBeUndefined()
    },
  )
})
