import type { CallEvents, Calls, Devices } from '../../studio/src/call/call-client.ts'

/** How the test and the page reach each other. */
declare global {
  /** Starts a session, and returns its id. */
  var testDial: () => Promise<string>
  var testCaller: (does: 'types' | 'presses' | 'hangs up', what: string) => Promise<void>
  var testLine: CallEvents | undefined
  var testSound: { volume: number; muted: boolean; devices: Devices }
}

const does = (what: 'types' | 'presses' | 'hangs up', words = ''): void => {
  globalThis.testCaller(what, words).catch(() => {})
}

/** Calls to the test itself, without sound and sockets. */
export const calls: Calls = {
  canRejoin: () => false,
  make: (events, _where, devices) => {
    globalThis.testLine = events
    globalThis.testSound = { volume: 1, muted: false, devices }
    const sound = globalThis.testSound
    return {
      connect: async () => {
        const id = await globalThis.testDial()
        events.session(id)
        events.state('live')
      },
      mute: (on) => {
        sound.muted = on
        events.level(on ? 0 : 0.2)
        events.agentLevel(0.1)
      },
      setVolume: (volume) => {
        sound.volume = volume
      },
      useDevices: (next) => {
        sound.devices = next
        return Promise.resolve()
      },
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
