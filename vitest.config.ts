import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Test files that patch globals for good. They run in processes of their own, which they share. */
export const guarded = ['{src,test}/guard/**/*.test.ts', 'test/hunt/**/*.test.ts']

/** Test files that mock modules, collect garbage or count hooks: each needs a process of its own. */
export const isolated = [
  'test/guard/many.test.ts',
  'test/**/memory.test.ts',
  'src/parts/memory.test.ts',
  'src/**/file-sink.test.ts',
  'src/host/journal/missing.test.ts',
  'src/providers/local/missing.test.ts',
  'src/lines/webrtc/missing.test.ts',
]

/** Test files that need the newest SDKs: `npm run nodes` installs and runs them. */
export const newest = 'test/newest-sdks/**'

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * The slowest suites. They start first, so that no worker is left with one of them at the end, and in this order, which
 * alternates suites that wait with suites that compute.
 */
const slowest = [
  'test/hunt/',
  'test/guard/processes',
  'test/phone/phone',
  'test/providers/turns/sockets',
  'test/house/examples',
  'test/browser/sound',
  'test/studio/looks',
  'test/walk/',
  'test/cli/dev',
  'test/cli/call',
  'test/browser/faults',
  'test/explore/',
  'test/providers/openai/sockets',
  'test/providers/local/local-tts',
  'test/browser/studio',
  'test/cli/operate',
  'test/providers/local/local-stt',
  'test/providers/openai-live/sockets',
  'test/matrix/',
  'test/cli/load-agent',
  'test/cli/reload',
  'test/cli/hunt',
  'test/cli/init',
  'test/cli/mistakes',
  'test/lines/browser',
  'test/studio/call',
  'test/phone/',
  'test/lines/rules',
  'test/sim/',
  'test/providers/local/silero-vad',
  'test/host/journal/postgres',
  'test/lines/conformance',
  'test/hostile/',
  'test/studio/session',
  'test/lines/example',
  'test/browser/',
  'test/silence/',
  'test/session/failures/',
  'test/session/pickup/',
  'test/fleet/',
  'test/house/',
  'test/react/',
  'test/cli/',
  'test/studio/',
  'test/host/',
  'test/providers/',
  'test/lines/',
  'src/audio/',
]

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ({ project, moduleId }: TestSpecification): number => {
      // By project: a process can only continue with another file of the same one. The largest comes last, because its many
      // small files keep all cores busy to the end.
      const group = ['guarded', 'isolated', 'shared'].indexOf(project.name)
      const place = slowest.findIndex((path) => moduleId.includes(path))
      return 100 * group + (place < 0 ? slowest.length : place)
    }
    return files.toSorted((a, b) => order(a) - order(b))
  }
}

/** Most modules are the same in every project, and in the next run. Not for the root: errors of its setup would be unreadable. */
const experimental = {
  fsModuleCache: true,
  fsModuleCachePath: pathOf('node_modules/.cache/vitest-modules'),
}

export default defineConfig({
  resolve: {
    alias: [{ find: /^\.+\/.*\bstart-thread\.ts$/, replacement: pathOf('test/compiled-thread.ts') }],
  },
  test: {
    setupFiles: ['test/setup.ts'],
    // Young objects get more room: collecting them takes a seventh of the workers' time otherwise.
    execArgv: ['--max-semi-space-size=64'],
    restoreMocks: true,
    // No test sleeps. The timeouts only end what hangs, so they are longer than any test takes on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Most suites wait for sockets, processes and browsers more than they compute: seven of them keep two cores busy.
    maxWorkers: Math.max(7, availableParallelism()),
    // Concurrent tests wait for child processes.
    maxConcurrency: 2,
    sequence: { sequencer: SlowestFirst },
    globalSetup: ['test/compile-programs.ts', 'test/postgres/serve-postgres.ts', 'test/studio/serve-page.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          experimental,
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, newest, ...guarded, ...isolated],
          // Loading the modules anew for every file would take as long as the tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'guarded',
          experimental,
          include: guarded,
          exclude: [...configDefaults.exclude, ...isolated],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', experimental, include: isolated } },
    ],
  },
})
