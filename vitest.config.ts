import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    restoreMocks: true,
    // Nothing sleeps: this only ends a test that hangs, also on a machine that is busy with other things.
    testTimeout: 30_000,
    // Many tests wait for real sockets, processes and a browser: two at a time keep two cores busy.
    maxWorkers: 2,
    // Concurrent tests are child processes; the machines that run them have two cores.
    maxConcurrency: 2,
  },
})
