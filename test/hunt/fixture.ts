import type { AgentFile } from '../../src/host/index.ts'
import { Agent, tool, type AgentOptions, type ToolOptions } from '../../src/session/index.ts'
import { hunt, type HuntOptions, type HuntResult } from '../../src/testing/index.ts'

/** An agent file with an agent of these options. Making its models fails, as without a key. */
export function agentFile(options: Partial<AgentOptions> = {}, file: Partial<AgentFile> = {}): AgentFile {
  return {
    name: 'Test',
    agent: new Agent({
      name: 'desk',
      instructions: 'You answer the phone.',
      onEnter: ({ session }) => void session.say('Good morning!'),
      ...options,
    }),
    models: () => {
      throw new Error('there is no key')
    },
    ...file,
  }
}

/** An agent file whose agent has one tool, `work`. */
export function withTool(
  run: ToolOptions<undefined>['run'],
  options: Partial<ToolOptions<undefined>> = {},
): AgentFile {
  return agentFile({ tools: { work: tool({ description: 'Works', run, ...options }) } })
}

/** A quick hunt. */
export function quickHunt(file: AgentFile, options: HuntOptions = {}): Promise<HuntResult> {
  return hunt(file, { moments: 1, limit: 600_000, ...options })
}

/** What was found, without how often and where in the code. */
export function found({ findings }: HuntResult): string[] {
  return findings.map(({ kind, where }) => `${kind}: ${where}`).toSorted()
}
