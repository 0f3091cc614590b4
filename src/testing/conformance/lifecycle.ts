import assert from 'node:assert/strict'
import type { PartContext } from '../../parts/index.ts'
import { ScopeClosedError, liveScopes, type Scope } from '../../scope/index.ts'
import { check, type Check } from './check.ts'
import type { Stage } from './stage.ts'

/** What all subjects have in common. */
export interface Openable {
  /** From here on the part cannot be opened. */
  refuses?(): void
}

/** What every part must do when it is opened and ended, whatever it is for. */
export function lifecycle<Subject extends Openable>(
  open: (subject: Subject, context: PartContext) => Promise<unknown>,
): Check<Subject>[] {
  return [
    check('opens in the scope it is given and in no other', async (stage, subject) => {
      const before = liveScopes.size
      const context = stage.context()
      await stage.soon(open(subject, context), 'opening')
      assert.equal(liveScopes.size, before + 1, 'it opened a scope that nobody owns')
      await close(stage, context)
    }),

    check('ends with its scope, on time and cleanly, and leaves nothing', async (stage, subject) => {
      const context = stage.context()
      await stage.soon(open(subject, context), 'opening')
      const report = await close(stage, context)
      assert.ok(report.clean, `the close was not clean: ${JSON.stringify(report)}`)
    }),

    check('says how its connections ended before it is closed, and nothing later', async (stage, subject) => {
      const context = stage.context()
      await stage.soon(open(subject, context), 'opening')
      assert.deepEqual(context.connections, [], 'a connection ended that nobody asked to')
      await close(stage, context)
      const told = [...context.connections]
      const forced = told.filter(({ how }) => how === 'aborted' || how === 'dropped')
      assert.deepEqual(forced, [], 'a connection was not closed')
      await stage.elapse(5_000)
      assert.deepEqual(context.connections, told)
    }),

    check('is ended by abort() before that returns', async (stage, subject) => {
      const context = stage.context()
      await stage.soon(open(subject, context), 'opening')
      context.scope.abort()
      stage.assertEmpty(context)
      await stage.elapse(1_000)
      stage.assertEmpty(context)
    }),

    check('is ended by abort() also while it is being closed', async (stage, subject) => {
      const context = stage.context()
      await stage.soon(open(subject, context), 'opening')
      const closed = context.scope.close()
      context.scope.abort()
      stage.assertEmpty(context)
      await closed
    }),

    check('gives up opening when its scope closes, and leaves nothing', async (stage, subject) => {
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

    check('gives up opening when its scope is aborted, and leaves nothing', async (stage, subject) => {
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
      // A part that opens nothing may say yes; whatever it is asked then, there is nothing to do it with.
      if ('error' in outcome)
        assert.ok(isCancel(outcome.error, context.scope), 'it failed for another reason')
      stage.assertEmpty(context)
    }),

    check('can be opened twice, and each is ended alone', async (stage, subject) => {
      const one = stage.context()
      const two = stage.context()
      await stage.soon(Promise.all([open(subject, one), open(subject, two)]), 'opening')
      await one.scope.close()
      const { state, owned, children } = one.scope.inspect().tree
      assert.deepEqual({ state, owned, children }, { state: 'closed', owned: [], children: [] })
      assert.equal(two.scope.state, 'live')
      await close(stage, two)
    }),

    check('throws when it cannot be opened, and leaves nothing', async (stage, subject) => {
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

/** Closes the scope, in its time, and looks whether it is empty. */
export async function close(
  stage: Stage,
  context: PartContext,
): Promise<Awaited<ReturnType<Scope['close']>>> {
  const report = await stage.soon(context.scope.close(), 'closing')
  assert.ok(report.took <= report.closeTimeout, `closing took ${report.took} of ${report.closeTimeout} ms`)
  stage.assertEmpty(context)
  return report
}

/** What became of it: `error` if it was rejected. */
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
