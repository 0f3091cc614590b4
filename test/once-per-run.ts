import type { TestProject } from 'vitest/node'

type Setup = (project: TestProject) => Promise<() => Promise<void>>

/** A global setup that runs once. Vitest would run it again for every project, since they extend the root. */
export const oncePerRun =
  (setup: Setup) =>
  async (project: TestProject): Promise<(() => Promise<void>) | undefined> =>
    project.isRootProject() ? setup(project) : undefined
