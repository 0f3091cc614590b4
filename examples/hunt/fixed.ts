// The restaurant of agent.ts, without its bugs. `npx endwell hunt examples/hunt/fixed.ts` finds nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, tool } from 'endwell'
import type { AgentFile } from 'endwell/host'
import type { HuntOptions } from 'endwell/testing'
import { z } from 'zod'
import { instructions, orderTaxi, restaurant } from './restaurant.ts'

// #region options
/** For `endwell hunt`: what the tools are called with, and what tables.example answers. */
export const hunt = {
  inputs: { findTable: [{ day: 'Friday', people: 4 }] },
  fetch: () => Response.json({ table: '7' }),
} satisfies HuntOptions
// #endregion

export default {
  ...restaurant,
  agent: new Agent({
    name: 'rosa',
    instructions,
    onEnter: ({ session }) => session.say('Da Rosa, good evening!'),
    tools: {
      findTable: tool({
        description: 'Find a free table',
        input: z.object({ day: z.string(), people: z.number().default(2) }),
        // The signal goes to everything that is awaited, so that a hang-up stops it at once.
        run: async ({ day, people }, { signal }) => {
          const url = `https://tables.example/free?day=${day}&people=${people}`
          for (let attempt = 1; attempt <= 5; attempt++) {
            const response = await fetch(url, { signal })
            const { table } = (await response.json()) as { table?: string }
            if (table !== undefined) return `Table ${table} is free on ${day}.`
            await sleep(1_000, undefined, { signal })
          }
          return `There is no table on ${day}.`
        },
      }),

      orderTaxi: tool({
        description: 'Order a taxi to the restaurant',
        run: async (_, { signal, progress }) => {
          const timer = setInterval(() => progress('still looking for a taxi'), 1_000)
          try {
            return await orderTaxi('the restaurant', signal)
          } finally {
            // Also if the caller hangs up meanwhile.
            clearInterval(timer)
          }
        },
      }),

      goodbye: tool({
        description: 'Say goodbye, when the caller has no more questions',
        // Waits until the caller has heard the last words.
        run: (_, { hangUp }) => hangUp({ say: 'Thank you for calling. We look forward to seeing you!' }),
      }),
    },
  }),
} satisfies AgentFile
