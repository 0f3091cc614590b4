// A restaurant that takes reservations by phone, with three bugs. `npx endwell hunt examples/hunt/agent.ts` finds them.
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, tool } from 'endwell'
import type { AgentFile } from 'endwell/host'
import { z } from 'zod'
import { instructions, orderTaxi, restaurant } from './restaurant.ts'

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
        run: async ({ day, people }) => {
          for (let attempt = 1; attempt <= 5; attempt++) {
            const response = await fetch(`https://tables.example/free?day=${day}&people=${people}`)
            const { table } = (await response.json()) as { table?: string }
            if (table !== undefined) return `Table ${table} is free on ${day}.`
            await sleep(1_000)
          }
          return `There is no table on ${day}.`
        },
      }),

      orderTaxi: tool({
        description: 'Order a taxi to the restaurant',
        run: async (_, { signal, progress }) => {
          const timer = setInterval(() => progress('still looking for a taxi'), 1_000)
          const answer = await orderTaxi('the restaurant', signal)
          clearInterval(timer)
          return answer
        },
      }),

      goodbye: tool({
        description: 'Say goodbye, when the caller has no more questions',
        run: async (_, { say, close }) => {
          say('Thank you for calling. We look forward to seeing you!')
          await close()
        },
      }),
    },
  }),
} satisfies AgentFile
