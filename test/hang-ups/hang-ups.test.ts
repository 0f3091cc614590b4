import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../src/testing/index.ts'
import { moments } from './moments.ts'
import { rtviInWorld } from './rtvi-websocket.ts'
import { hangUpCases, runHangUp } from './run-case.ts'

// `npm run zombies` ends the same calls over real sockets.
describe('a call from an RTVI client over WebSocket', () => {
  it.each(Object.keys(moments))(
    '[RV9] [CL1] [CL2] ends once, for the right reason, within 10 s, and leaves nothing behind, however it ends %s',
    async (moment) => {
      for (const one of hangUpCases.filter((each) => each.moment === moment))
        await inVirtualTime(async (world) => {
          const { problems, leaked } = await runHangUp(rtviInWorld(world), one)
          expect({ problems, leaked }, one.way).toEqual({ problems: [], leaked: 0 })
        })
    },
  )
})
