import type { CallEvents, Calls } from '../../studio/src/call/call-client.ts'

/** How the test and the page reach each other. */
declare global {
  /** Starts a session, and returns its id. */
  var testDial: () => Promise<string>
  var testCaller: (does: 'types' | 'presses' | 'hangs up', what: string) => Promise<void>
  var testLine: CallEvents | undefined
}

const does = (what: 'types' | 'presses' | 'hangs up', words = ''): void => {
  globalThis.testCaller(what, words).catch(() => {})
}

/** Calls to the test itself, without sound and sockets. */
export const calls: Calls = {
  canRejoin: () => false,
  make: (events) => {
    globalThis.testLine = events
    return {
      connect: async () => {
        const id = await globalThis.testDial()
        events.session(id)
        events.state('live')
      },
      mute: (on) => events.level(on ? 0 : 0.2),
      hangUp: () => {
        does('hangs up')
        events.state('ended')
      },
      sendText: (text) => does('types', text),
      press: (key) => does('presses', key),
      unblock: () => {
        events.trouble(undefined)
        return Promise.resolve()
      },
    }
  },
}
