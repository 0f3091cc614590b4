import type { Mutant } from './mutant.ts'

export const fallbackMutants: readonly Mutant[] = [
  {
    name: 'a vendor that failed is not remembered',
    file: 'parts/fallback/vendor-health.ts',
    find: '    this.#ailments.set(vendor, ailment)\n',
    replace: '',
  },
  {
    name: 'a vendor that failed is never forgiven',
    file: 'parts/fallback/vendor-health.ts',
    find: 'return ailment && ailment.until > now ? ailment : undefined',
    replace: 'return ailment',
  },
  {
    name: 'a vendor that works again is still asked last',
    file: 'parts/fallback/vendor-health.ts',
    find: '    return this.#ailments.delete(vendor)\n',
    replace: '    return true\n',
  },
  {
    name: 'the cool-down does not grow',
    file: 'parts/fallback/vendor-health.ts',
    find: 'this.#coolDown * 2 ** (failures - 1)',
    replace: 'this.#coolDown',
  },
  {
    name: 'calls that lose a vendor together count as many failures',
    file: 'parts/fallback/vendor-health.ts',
    find: '    if (before && use <= before.lastUse) return undefined\n',
    replace: '',
  },
  {
    name: 'a connection from before the failure makes a vendor well',
    file: 'parts/fallback/vendor-health.ts',
    find: 'if (!ailment || use <= ailment.lastUse) return false',
    replace: 'if (!ailment) return false',
  },
  {
    name: 'all calls try a vendor at once when its time is up',
    file: 'parts/fallback/vendor-health.ts',
    find: '    if (ailment && ailment.until <= now) ailment.until = now + within\n',
    replace: '',
  },
  {
    name: 'each call has its own idea of who is well',
    file: 'parts/fallback/fallback-llm.ts',
    find: '        health,\n',
    replace: '        new VendorHealth(options),\n',
  },
  {
    name: 'a request inherits an opening that failed',
    file: 'parts/fallback/fallback-stream.ts',
    find: '        if (client === undefined) this.#retire(part, instance)\n',
    replace: '',
  },
  {
    name: 'a realtime model that was lost is left open',
    file: 'parts/fallback/fallback-realtime-model.ts',
    find: '    closeInBackground(scope)\n',
    replace: '    if (this.#failed) closeInBackground(scope)\n',
  },
]
