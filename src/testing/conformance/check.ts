import { onVirtualStage, type OnStage, type Stage } from './stage.ts'

/** Makes what is to be checked, anew for each check. */
export type Make<Subject> = (stage: Stage) => Subject | Promise<Subject>

/** One thing that every part of a kind must do. It needs no test framework. */
export interface Check<Subject> {
  readonly name: string
  /** Throws if the subject does not conform. Returns why if the subject cannot be checked for this. */
  readonly run: (make: Make<Subject>, onStage?: OnStage) => Promise<string | undefined>
}

/** What a check does. To return words is to say why it cannot be done with this subject. */
export type Play<Subject> = (stage: Stage, subject: Subject) => Promise<string | void>

export function check<Subject>(name: string, play: Play<Subject>): Check<Subject> {
  return {
    name,
    async run(make, onStage = onVirtualStage) {
      let skipped: string | undefined
      await onStage(async (stage) => {
        const words = await play(stage, await make(stage))
        if (typeof words === 'string') skipped = words
      })
      return skipped
    },
  }
}

/** The two words of a test framework that are needed: those of vitest, of node:test, and of many others. */
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

/** How one check went. */
export interface Finding {
  readonly name: string
  /** Why it could not be done. */
  readonly skipped?: string
  /** What is wrong; absent if nothing is. */
  readonly error?: unknown
}

/** Runs a suite without a test framework, one check after the other. */
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
