import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    restoreMocks: true,
    // Concurrent tests are child processes; the machines that run them have two cores.
    maxConcurrency: 2,
  },
})
