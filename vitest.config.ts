import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Test files that mock modules, patch globals or collect garbage: each needs a process of its own. */
export const isolated = [
  '{src,test}/guard/**/*.test.ts',
  '**/*memory.test.ts',
  'src/**/file-sink.test.ts',
  'src/providers/local/missing.test.ts',
]

const exclude = [...configDefaults.exclude, ...isolated]

/** Runs the long suites first, so that no worker is left with one at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Grouped by project: a worker that is done with a file can only run another file of the same project.
    return ['suites', 'unit', 'isolated'].flatMap((name) =>
      sorted.filter(({ project }) => project.name === name),
    )
  }
}

export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    restoreMocks: true,
    // No test sleeps. The timeout only ends a test that hangs, so it is long enough for a busy machine.
    testTimeout: 30_000,
    maxWorkers: 3,
    // Concurrent tests wait for child processes. Two of them keep two cores busy.
    maxConcurrency: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Files share modules within a worker: loading them anew for every file would take as long as the tests.
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts'], exclude, isolate: false } },
      {
        extends: true,
        resolve: {
          alias: [
            {
              find: /^\.\/thread-file\.ts$/,
              replacement: fileURLToPath(new URL('test/compiled-thread.ts', import.meta.url)),
            },
          ],
        },
        test: {
          name: 'suites',
          include: ['test/**/*.test.ts'],
          exclude,
          isolate: false,
          globalSetup: ['test/compile-programs.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: isolated, globalSetup: ['test/compile-programs.ts'] },
      },
    ],
  },
})
