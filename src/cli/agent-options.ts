/** The argument of commands that load an agent file. */
export const agentFile = {
  name: 'FILE',
  about: 'a module whose default export is { name, agent, models }',
  default: 'agent.ts',
} as const

/** The option of commands that choose models for an agent without models of its own. */
export const modelOption = {
  type: 'string',
  about: 'local, openai or gemini (default: by the key in the environment)',
} as const
