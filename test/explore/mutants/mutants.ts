import type { Mutant } from '../../sim/mutants/mutant.ts'
import type { MachineName } from '../machines.ts'

/** Mistakes that the exploration of each machine must notice. */
export const mutants: Readonly<Record<MachineName, readonly Mutant[]>> = {
  link: [
    {
      name: 'a peer that ignores the close frame keeps the link open',
      file: 'link/link-machine.ts',
      find: `'close-frame': ({ closing }) => closing?.cutAt,`,
      replace: `'close-frame': () => undefined,`,
    },
    {
      name: 'each request to close moves the deadline',
      file: 'link/handle-closing.ts',
      find: 'if (closing.asked) return',
      replace: '',
    },
    {
      name: 'a link retries without a limit',
      file: 'link/handle-live.ts',
      find: 'if (state.failures >= settings.retries || state.retries >= settings.lifetimeRetries) return false',
      replace: '',
    },
    {
      name: 'a link that is asked to close while it opens is left with the socket',
      file: 'link/handle-closing.ts',
      find: `if (connection && connection !== last) emit({ type: 'cut', generation: connection.generation })`,
      replace: '{}',
    },
  ],
  playout: [
    {
      name: 'a line that never confirms keeps the speech from ending',
      file: 'session/speaking/playout-machine.ts',
      find: 'if (confirmBy !== undefined) timers.set(`playout ${id}`, confirmBy)',
      replace: 'void [id, confirmBy]',
    },
    {
      name: 'a voice that hangs keeps the speech from ending',
      file: 'session/speaking/playout-machine.ts',
      find: `if (current?.stallAt !== undefined) timers.set('stall', current.stallAt)`,
      replace: '',
    },
    {
      name: 'the next speech begins while the session closes',
      file: 'session/speaking/playout-machine.ts',
      find: 'if (state.current || state.muted || state.away || !state.queue[0]) return',
      replace: 'if (state.current || state.away || !state.queue[0]) return',
    },
  ],
  session: [
    {
      name: 'a cap that is reached during a goodbye is forgotten',
      file: 'session/closing/session-machine.ts',
      find: `if (phase === 'ending') drains.push(event)`,
      replace: '',
    },
    {
      name: 'a graceful end without progress lasts forever',
      file: 'session/closing/session-machine.ts',
      find: `if (ending) timers.set('stall', ending.stallAt)`,
      replace: '',
    },
    {
      name: 'a graceful end with progress lasts forever',
      file: 'session/closing/session-machine.ts',
      find: `if (ending && endTimeout !== undefined) timers.set('limit', ending.askedAt + endTimeout)`,
      replace: 'void endTimeout',
    },
    {
      name: 'a second request to close overtakes the first',
      file: 'session/closing/session-machine.ts',
      find: `if (state.begun) return [{ type: 'close-again', ask: event.ask }]`,
      replace: `return [{ type: 'close-again', ask: event.ask }]`,
    },
  ],
  turn: [
    {
      name: 'words of an STT without a VAD are never committed',
      file: 'session/hearing/user-turn.ts',
      find: `if (mode === 'stt' && !settings.vad) return turn.changed + maxDelay`,
      replace: '',
    },
  ],
}
