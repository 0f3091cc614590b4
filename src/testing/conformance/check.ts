import { onVirtualStage, type OnStage, type Stage } from './stage.ts'

/** Creates the subject of a check. Called once per check. */
export type Make<Subject> = (stage: Stage) => Subject | Promise<Subject>

/** One requirement for every part of a kind. Independent of any test framework. */
export interface Check<Subject> {
  readonly name: string
  /** Rejects if the subject does not conform. Resolves with the reason if the check had to be skipped. */
  readonly run: (make: Make<Subject>, onStage?: OnStage) => Promise<string | undefined>
}

/** The body of a check. Returns a reason if the check cannot be done with this subject. */
export type Play<Subject> = (stage: Stage, subject: Subject) => Promise<string | void>

export function check<Subject>(name: string, play: Play<Subject>): Check<Subject> {
  return {
    name,
    async run(make, onStage = onVirtualStage) {
      let skipped: string | undefined
      await onStage(async (stage) => {
        const reason = await play(stage, await make(stage))
        if (typeof reason === 'string') skipped = reason
      })
      return skipped
    },
  }
}

/** The two functions needed from a test framework, as in vitest, node:test and many others. */
export interface Framework {
  readonly describe: (name: string, body: () => void) => unknown
  readonly it: (name: string, body: (context: Skippable) => Promise<void>) => unknown
}

export interface Skippable {
  skip(note?: string): unknown
}

/**
 * Runs a suite in a test framework.
 *
 * ```ts
 * import { describe, it } from 'node:test'
 * conformance({ describe, it }, 'my STT', sttConformance, (stage) => ({ stt: myStt(stage), … }))
 * ```
 */
export function conformance<Subject>(
  { describe, it }: Framework,
  name: string,
  checks: readonly Check<Subject>[],
  make: Make<Subject>,
  onStage?: OnStage,
): void {
  describe(name, () => {
    for (const each of checks) {
      it(each.name, async (context) => {
        const skipped = await each.run(make, onStage)
        if (skipped !== undefined) context.skip(skipped)
      })
    }
  })
}

/** The result of one check. */
export interface Finding {
  readonly name: string
  /** Why the check was skipped. */
  readonly skipped?: string
  /** The error of a failed check. */
  readonly error?: unknown
}

/** Runs a suite without a test framework, one check after another. */
export async function findings<Subject>(
  checks: readonly Check<Subject>[],
  make: Make<Subject>,
  onStage?: OnStage,
): Promise<Finding[]> {
  const all: Finding[] = []
  for (const { name, run } of checks) {
    try {
      const skipped = await run(make, onStage)
      all.push(skipped === undefined ? { name } : { name, skipped })
    } catch (error) {
      all.push({ name, error })
    }
  }
  return all
}
