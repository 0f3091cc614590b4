import type { Mutant } from './mutant.ts'

export const sessionMutants: readonly Mutant[] = [
  {
    name: 'every close of a session starts a close of its own',
    file: 'session/closing/session-machine.ts',
    find: "if (phase !== 'closing') return this.#close(event.ask)",
    replace: "if (phase !== 'closing' || state.begun) return this.#close(event.ask)",
  },
  {
    name: 'after-call work does not run',
    file: 'session/closing/closing.ts',
    find: 'if (report.startedAt !== undefined && settings.afterCall.length > 0)',
    replace: 'if (report.startedAt === undefined && settings.afterCall.length > 0)',
  },
  {
    name: 'a close leaves queued speech waiting',
    file: 'session/speaking/speaking.ts',
    find: '    for (const speech of this.waiting) speech.interrupt({ force: true })\n',
    replace: '',
  },
  {
    name: 'a close does not settle speech whose end the line has not confirmed',
    file: 'session/speaking/playout-machine.ts',
    find: "        for (const playing of stopping) playing.phase = 'ended'\n",
    replace: '',
  },
  {
    name: 'frames in flight are played after the end',
    file: 'session/closing/closing.ts',
    find: "callOut(() => speaking?.mute(), failed('silence'))",
    replace: "callOut(() => speaking?.pause(), failed('silence'))",
  },
]
