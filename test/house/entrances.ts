import { importedFiles } from './imports.ts'
import { isTest, roomOf } from './rooms.ts'
import type { Manifest, Source } from './tree.ts'

/** Entrances that are neither published nor the index of a room. */
const others = new Set([
  // Every session has a network, and most programs that import endwell never dial a link.
  'src/link/ws-network.ts',
  // The page shares this with the host. It needs no Node, unlike the host's index.
  'src/host/wire/index.ts',
  // Hunts run the agent's code in contexts of the guard's hooks, and name its lines as the watchdog does.
  'src/guard/hooks.ts',
  'src/host/supervisor/frames.ts',
  // The journal in memory, in `testing`, shares what is not public.
  'src/host/journal/index.ts',
  // The host collects the packages that models need.
  'src/providers/find-package.ts',
  // Local models and WebRTC start worker threads.
  'src/providers/start-thread.ts',
  // `endwell talk` looks for programs, as local voices do.
  'src/providers/find-program.ts',
  // `endwell chat` shares what is not public: when a session is idle, and text as sound.
  'src/testing/activity.ts',
  'src/testing/sound-text.ts',
  // What `endwell dev` shares with `endwell start`.
  'src/host/dev.ts',
  'src/testing/memory-journal.ts',
  // Commands need these before they load the host.
  'src/host/exit-codes.ts',
  'src/host/log-levels.ts',
  'src/host/start/version.ts',
])

/** The source files of the published entry points: the `exports` of package.json. */
export function publishedOf({ exports }: Manifest): string[] {
  return Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
  )
}

/** The files that other rooms may import: published ones and a few others. */
export function entrancesOf(manifest: Manifest): ReadonlySet<string> {
  return new Set([...publishedOf(manifest), ...others])
}

/**
 * Imports that go past the index of another room, or past another of its entrances, types included. Tests may
 * reach inside.
 */
export function importsPastIndex(sources: readonly Source[], entrances: ReadonlySet<string>): string[] {
  return sources
    .filter(({ path }) => !isTest(path))
    .flatMap((source) =>
      importedFiles(source)
        .filter((target) => roomOf(target) !== roomOf(source.path))
        .filter((target) => target !== `${roomOf(target)}/index.ts` && !entrances.has(target))
        .map((target) => `${source.path} imports ${target}`),
    )
}
