import { Agent, tool, type AgentOptions, type StandardSchema } from '../../src/session/index.ts'
import { rehearse, type LlmAnswer, type Rehearsal, type RehearsalOptions } from '../../src/testing/index.ts'

/** Creates a schema. An error that `read` throws becomes its issue. */
export function schema<Output>(
  read: (value: Record<string, unknown>) => Output,
): StandardSchema<unknown, Output> {
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => {
        try {
          return { value: read(value as Record<string, unknown>) }
        } catch (error) {
          return { issues: [{ message: String(error) }] }
        }
      },
      jsonSchema: { input: () => ({ type: 'object' }) },
    },
  }
}

export const findSlot = tool({
  description: 'Find a free slot',
  input: schema(({ day, people = 1 }) => {
    if (typeof day !== 'string') throw new TypeError('day is not a string')
    return { day, people: Number(people) }
  }),
  run: ({ day }) => {
    throw new Error(`the real calendar has no ${day}`)
  },
})

export function desk(options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ name: 'desk', instructions: 'You answer the phone.', ...options })
}

export const rehearseWith = (
  answers: readonly LlmAnswer[],
  agent: Partial<AgentOptions> = {},
  options: RehearsalOptions = {},
): Promise<Rehearsal> => rehearse(desk(agent), { answers, ...options })
