import type { OpenAILiveServer } from '../../../src/testing/servers/index.ts'

/** The results of tools that reached the server: of its own calls, and in words those of calls that it does not know. */
export function toolResults({ sessions }: OpenAILiveServer): string[] {
  return sessions.flatMap(({ results, received }) => [
    ...results,
    ...received.flatMap((event) =>
      event.type === 'session.thinking.append'
        ? (/^The tool \w+ returned: (.*)$/s.exec(event.content ?? '')?.slice(1) ?? [])
        : [],
    ),
  ])
}
