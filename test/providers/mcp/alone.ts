import { mcpTools } from '../../../src/providers/mcp/index.ts'
import { systemClock, systemRandom } from '../../../src/scope/index.ts'
import { drain, partContext } from '../../../src/testing/index.ts'

// A process with a toolset and nothing else: `node mcp-alone.js OPTIONS`. It opens the toolset, calls a tool
// that may never answer, and closes when its stdin ends. Then it prints the timers and processes that are left, including
// those of the SDK, which our registries do not know.
const context = partContext({ clock: systemClock, random: systemRandom })
const print = (...values: readonly unknown[]): void => console.log(values.join(' '))
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
// Node releases closed handles at the end of a turn of the event loop. HTTP connections belong to a pool, which does not
// keep the process alive.
await drain()
await drain()
print('left:', ...process.getActiveResourcesInfo().filter((name) => /^(Timeout|ProcessWrap)$/.test(name)))
