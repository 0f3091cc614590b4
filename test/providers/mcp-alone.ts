import { mcpTools } from '../../src/providers/mcp/index.ts'
import { systemClock, systemRandom } from '../../src/scope/index.ts'
import { drain, partContext } from '../../src/testing/index.ts'

// A process with a toolset and nothing else: `node mcp-alone.js OPTIONS`. It opens the toolset, calls a tool
// that may never answer, and closes when its input ends. What is left then is printed: no registry knows what others set.
const context = partContext({ clock: systemClock, random: systemRandom })
const print = (...words: readonly unknown[]): void => console.log(words.join(' '))
try {
  const tools = await mcpTools(JSON.parse(process.argv[2]!)).open(context)
  const { signal } = new AbortController()
  Promise.resolve(tools['breaks']!.run({}, { signal, progress: () => {} } as never)).catch(() => {})
} catch (error) {
  const { code, message } = error as Error & { code?: string }
  print(code, message)
}
await new Promise((resolve) => process.stdin.resume().once('close', resolve))
await context.scope.close()
// The platform lets go of what was closed at the end of a turn; connections belong to a pool, which keeps nobody alive.
await drain()
await drain()
print('left:', ...process.getActiveResourcesInfo().filter((name) => /^(Timeout|ProcessWrap)$/.test(name)))
