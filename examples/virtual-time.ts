import assert from 'node:assert/strict'
import { Scope } from 'endwell'
import type { ScopeOptions } from 'endwell/scope'
import { Faults, inVirtualTime, noLeaks } from 'endwell/testing'

const hour = 3_600_000

/** The code under test. Its timers belong to its scope, which takes a clock. */
class Call {
  readonly scope: Scope
  renewals = 0

  constructor(options: ScopeOptions = {}) {
    this.scope = new Scope('call', { closeTimeout: 2_000, ...options })
    this.scope.own('line', { close: async () => {}, abort() {} })
    this.scope.every(hour, 'renew token', () => this.renewals++)
  }
}

const nothingLeft = noLeaks()

// A day passes in no time.
await inVirtualTime(async ({ clock }) => {
  const call = new Call({ clock })
  await clock.elapse(24.5 * hour)
  assert.equal(call.renewals, 24)
  assert.equal((await call.scope.close()).clean, true)
})

// A fault: closing the line hangs. The report arrives on time and names the step.
await inVirtualTime(async ({ clock }) => {
  const faults = new Faults((ms) => clock.elapse(ms)).set('close:line', 'hang')
  const call = new Call({ clock, intercept: faults.intercept })
  const report = await call.scope.close()
  assert.deepEqual(faults.fired, ['close:line'])
  assert.equal(report.steps[0]?.outcome, 'timed-out')
  assert.ok(report.took <= 2_000)
})

// Nothing is left so far. Then something is left, and the error names it.
nothingLeft()
const forgotten = new Call()
assert.throws(nothingLeft, /scope 'call'[^]*timer 'renew token'/)
await forgotten.scope.close()
nothingLeft()
console.log('all tests passed')
