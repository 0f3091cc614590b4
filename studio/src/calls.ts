import {
  Call,
  type CallEnd,
  type CallErrorCode,
  type Ticket,
} from '../../src/lines/websocket/client/index.ts'
import type { CallEvents, Calls, CallTrouble } from './call-client.ts'

/** Calls over the host's own line. */
export const calls: Calls = {
  canRejoin: () => kept() !== undefined,
  make: (events, { url, token }, rejoin) => {
    const ticket = rejoin ? kept() : undefined
    const call = new Call({ url, ticket, ...(token ? { token } : {}) })
    follow(call, events, ticket !== undefined)
    return {
      connect: async () => {
        await call.connect()
      },
      mute: (on) => (on ? call.mute() : call.unmute()),
      hangUp: () => call.hangUp(),
      sendText: (text) => call.sendText(text),
      press: (key) => call.press(key),
      unblock: async () => {
        const context = call.output?.context
        if (context instanceof AudioContext) await context.resume()
      },
    }
  },
}

function follow(call: Call, events: CallEvents, rejoins: boolean): void {
  let wasLive = false
  let blocked = false
  const keepTicket = (): void => keep(call.ticket)
  // The session has the name of the call.
  const tellSession = (): void => {
    if (call.id !== undefined) events.session(call.id)
  }
  addEventListener('pagehide', keepTicket)
  call.on('state', (state) => {
    if (state === 'live') {
      wasLive = true
      keepTicket()
      tellSession()
    }
    // How it ended is told first.
    if (state !== 'ended' && state !== 'idle') events.state(state)
  })
  call.on('level', (level) => events.level(level))
  call.on('speaking', () => {
    if (blocked) events.trouble(undefined)
    blocked = false
  })
  call.on('error', ({ code }) => {
    blocked ||= code === 'SOUND_BLOCKED'
    const trouble = troubles[code]
    if (trouble) events.trouble(trouble)
  })
  call.on('ended', (end) => {
    removeEventListener('pagehide', keepTicket)
    keep(undefined)
    // The call was over before the page was back: then there is nothing to tell.
    const inVain = rejoins && !wasLive
    const trouble = troubleOf(end, wasLive)
    if (trouble && !inVain) events.trouble(trouble, end.code)
    // One that could not start is over before it is live: how it ended is what one wants to know.
    if (!inVain) tellSession()
    events.state(inVain ? 'idle' : 'ended')
  })
}

const troubles: Readonly<Partial<Record<CallErrorCode, CallTrouble>>> = {
  MICROPHONE_DENIED: 'microphone-denied',
  MICROPHONE_MISSING: 'microphone-missing',
  MICROPHONE_FAILED: 'microphone-failed',
  SOUND_BLOCKED: 'sound-blocked',
  SOUND_FAILED: 'sound-failed',
}

function troubleOf({ reason }: CallEnd, wasLive: boolean): CallTrouble | undefined {
  if (reason === 'lost') return wasLive ? 'lost' : 'unreachable'
  if (reason === 'refused' || reason === 'replaced' || reason === 'unanswered') return reason
  return undefined
}

// ── the way back into a call, for when the page is loaded anew ──

const place = 'endwell call'

function kept(): Ticket | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

function keep(ticket: Ticket | undefined): void {
  try {
    if (ticket) sessionStorage.setItem(place, JSON.stringify(ticket))
    else sessionStorage.removeItem(place)
  } catch {
    // A browser that keeps nothing: then there is no way back.
  }
}
