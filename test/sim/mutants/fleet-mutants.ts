import type { Mutant } from './mutant.ts'

export const fleetMutants: readonly Mutant[] = [
  {
    name: 'the first host after an outage adopts the calls of all others',
    file: 'host/fleet/lease-machine.ts',
    find: 'steadySince + this.#settings.grace',
    replace: 'steadySince',
  },
  {
    name: 'a host that was declared dead keeps its calls',
    file: 'host/fleet/lease-machine.ts',
    find: "return [{ type: 'let-go' }]",
    replace: 'return []',
  },
  {
    name: 'calls are lost with the answer to an adoption',
    file: 'host/fleet/fleet-member.ts',
    find: "request.then((calls) => this.#adopted(id, calls)).catch(() => this.#lease.handle({ type: 'unsure' }))",
    replace: 'request.then((calls) => this.#adopted(id, calls)).catch(noop)',
  },
  {
    name: 'a host stops after a request that failed',
    file: 'host/fleet/lease-machine.ts',
    find: "if (event.timer === 'retry') state.retryAt = undefined",
    replace: '',
  },
  {
    name: 'a report that could not be written is not written again',
    file: 'host/fleet/orphan-machine.ts',
    find: 'if (closing.delete(call)) waiting.add(call, now + this.#settings.retry)',
    replace: 'closing.delete(call)',
  },
  {
    name: 'a call is hung up although its caller came back',
    file: 'host/fleet/fleet-member.ts',
    find: "if (results[index] === 'written') {",
    replace: 'if (results[index]) {',
  },
  {
    name: 'a call is answered before the spool has it',
    file: 'host/reception/call-log.ts',
    find: '      await this.#spooling\n      for',
    replace: '      this.#spooling.catch(noop)\n      for',
  },
  {
    name: 'the journal is used again before it has what is in the spool',
    file: 'host/reception/call-log.ts',
    find: 'while (spool.waiting > 0 || this.#spooling) {',
    replace: 'if (spool.waiting > 0) {',
  },
  {
    name: 'a process keeps a call that the journal refuses to it',
    file: 'host/reception/call-log.ts',
    find: '    this.#options.fenced(call)\n',
    replace: '',
  },
  {
    name: 'a call that was written but refused stays open',
    file: 'host/reception/call-log.ts',
    find: 'if (sent !== undefined) this.#doubt(write.call.id, write.call.owner)',
    replace: '',
  },
  {
    name: 'a call that is adopted keeps its fence',
    file: 'testing/memory-journal.ts',
    find: 'host, fence: record.fence + 1, orphanedAt',
    replace: 'host, fence: record.fence, orphanedAt',
  },
  {
    name: 'a call that is taken over keeps its fence',
    file: 'testing/memory-journal.ts',
    find: 'host: owner.host, fence: fence + 1 }',
    replace: 'host: owner.host, fence }',
  },
  {
    name: 'two processes can open the same call',
    file: 'testing/memory-journal.ts',
    find: "return same && fence === 1 && state === 'live'",
    replace: "return fence === 1 && state === 'live'",
  },
  {
    name: 'a host that was declared dead is not told',
    file: 'testing/memory-journal.ts',
    find: '      if (!known) return undefined\n      known.leaseUntil',
    replace: '      if (!known) return { orders: [] }\n      known.leaseUntil',
  },
]
