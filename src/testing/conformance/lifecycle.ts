import assert from 'node:assert/strict'
import type { PartContext } from '../../parts/index.ts'
import { ScopeClosedError, liveScopes, type Scope } from '../../scope/index.ts'
import { check, type Check } from './check.ts'
import type { Stage } from './stage.ts'

/** What all subjects have in common. */
export interface Openable {
  /** Makes every later attempt to open the part fail. */
  refuses?(): void
}

/** The checks of opening and closing, for parts of every kind. */
export function lifecycle<Subject extends Openable>(
  open: (subject: Subject, context: PartContext) => Promise<unknown>,
): Check<Subject>[] {
  return [
    check('opens only in the scope it is given', async (stage, subject) => {
      const before = liveScopes.size
      const context = stage.context()
      await stage.soon(open(subject, context), 'opening')
      assert.equal(liveScopes.size, before + 1, 'it opened a scope without an owner')
      await close(stage, context)
    }),

    check('ends with its scope, on time and cleanly, and leaves nothing behind', async (stage, subject) => {
      const context = stage.context()
      await stage.soon(open(subject, context), 'opening')
      const report = await close(stage, context)
      assert.ok(report.clean, `the close was not clean: ${JSON.stringify(report)}`)
    }),

    check(
      'reports how its connections ended before its scope has closed, and nothing later',
      async (stage, subject) => {
        const context = stage.context()
        await stage.soon(open(subject, context), 'opening')
        assert.deepEqual(context.connections, [], 'a connection ended without being asked to')
        await close(stage, context)
        const reported = [...context.connections]
        const forced = reported.filter(({ how }) => how === 'aborted' || how === 'dropped')
        assert.deepEqual(forced, [], 'a connection was not closed gracefully')
        await stage.elapse(5_000)
        assert.deepEqual(context.connections, reported)
      },
    ),

    check('ends synchronously on abort()', async (stage, subject) => {
      const context = stage.context()
      await stage.soon(open(subject, context), 'opening')
      context.scope.abort()
      stage.assertEmpty(context)
      await stage.elapse(1_000)
      stage.assertEmpty(context)
    }),

    check('ends synchronously on abort() during a close', async (stage, subject) => {
      const context = stage.context()
      await stage.soon(open(subject, context), 'opening')
      const closed = context.scope.close()
      context.scope.abort()
      stage.assertEmpty(context)
      await closed
    }),

    check('stops opening when its scope closes, and leaves nothing behind', async (stage, subject) => {
      for (const wait of [undefined, 0, 1]) {
        const context = stage.context()
        const opening = stage.soon(settled(open(subject, context)), 'the end of opening')
        if (wait !== undefined) await stage.elapse(wait)
        await close(stage, context)
        await opening
        await stage.settle()
        stage.assertEmpty(context)
      }
    }),

    check('stops opening when its scope is aborted, and leaves nothing behind', async (stage, subject) => {
      const context = stage.context()
      const opening = stage.soon(settled(open(subject, context)), 'the end of opening')
      context.scope.abort()
      await opening
      await stage.settle()
      stage.assertEmpty(context)
    }),

    check('opens nothing in a closed scope', async (stage, subject) => {
      const context = stage.context()
      await context.scope.close()
      const outcome = await stage.soon(settled(open(subject, context)), 'opening')
      // A part without resources may resolve: it has nothing to open.
      if ('error' in outcome)
        assert.ok(isCancel(outcome.error, context.scope), 'it failed for another reason')
      stage.assertEmpty(context)
    }),

    check('can be opened twice, and each instance ends with its own scope', async (stage, subject) => {
      const one = stage.context()
      const two = stage.context()
      await stage.soon(Promise.all([open(subject, one), open(subject, two)]), 'opening')
      await one.scope.close()
      const { state, owned, children } = one.scope.inspect().tree
      assert.deepEqual({ state, owned, children }, { state: 'closed', owned: [], children: [] })
      assert.equal(two.scope.state, 'live')
      await close(stage, two)
    }),

    check('rejects when it cannot be opened, and leaves nothing behind', async (stage, subject) => {
      if (!subject.refuses) return 'the subject cannot be made to refuse'
      subject.refuses()
      const context = stage.context()
      const outcome = await stage.soon(settled(open(subject, context)), 'opening')
      assert.ok('error' in outcome, 'it opened')
      await close(stage, context)
      return undefined
    }),
  ]
}

/** Closes the scope, and checks that it closed on time and is empty. */
export async function close(
  stage: Stage,
  context: PartContext,
): Promise<Awaited<ReturnType<Scope['close']>>> {
  const report = await stage.soon(context.scope.close(), 'closing')
  assert.ok(report.took <= report.closeTimeout, `closing took ${report.took} of ${report.closeTimeout} ms`)
  stage.assertEmpty(context)
  return report
}

/** The result of the promise; never rejects. */
export async function settled<T>(
  promise: PromiseLike<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await promise }
  } catch (error) {
    return { error }
  }
}

function isCancel(error: unknown, { signal }: Scope<string>): boolean {
  if (error instanceof ScopeClosedError || error === signal.reason) return true
  return error instanceof Error && error.cause === signal.reason
}
