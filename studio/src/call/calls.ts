import {
  Call,
  type CallEnd,
  type CallErrorCode,
  type Ticket,
} from '../../../src/lines/websocket/client/index.ts'
import { systemClock, type Timer } from '../../../src/scope/index.ts'
import type { CallEvents, Calls, CallTrouble, Devices } from './call-client.ts'

/** Calls over the host's lines for pages: WebRTC if it has that and it connects, otherwise WebSocket. */
export const calls: Calls = {
  canRejoin: () => storedTicket() !== undefined,
  make: (events, { url, webrtc, token }, devices, rejoin) => {
    const ticket = rejoin ? storedTicket() : undefined
    const microphone = constraintsOf(devices)
    const call = new Call({ url, webrtc, ticket, microphone, ...(token ? { token } : {}) })
    forward(call, events, ticket !== undefined)
    followSound(call, events, devices)
    return {
      connect: async () => {
        await call.connect()
      },
      mute: (on) => (on ? call.mute() : call.unmute()),
      hangUp: () => call.hangUp(),
      sendText: (text) => call.sendText(text),
      press: (key) => call.press(key),
      setVolume: (volume) => {
        call.volume = volume
      },
      useDevices: async (next) => {
        if (next.speaker !== devices.speaker) await useSpeaker(call, next)
        if (next.microphone !== devices.microphone) await call.useMicrophone(constraintsOf(next))
        devices = next
      },
      unblock: async () => {
        const context = call.output?.context
        if (context instanceof AudioContext) await context.resume()
      },
    }
  },
}

function forward(call: Call, events: CallEvents, rejoins: boolean): void {
  let wasLive = false
  let blocked = false
  const storeCallTicket = (): void => storeTicket(call.ticket)
  // The session has the id of its call.
  const emitSession = (): void => {
    if (call.id !== undefined) events.session(call.id)
  }
  addEventListener('pagehide', storeCallTicket)
  call.on('state', (state) => {
    if (state === 'live') {
      wasLive = true
      storeCallTicket()
      emitSession()
      if (call.transport) events.transport(call.transport)
    }
    // The `ended` listener emits the end, after its cause.
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
    removeEventListener('pagehide', storeCallTicket)
    storeTicket(undefined)
    // The call ended while the page was reloading: show the idle page.
    if (rejoins && !wasLive) {
      events.state('idle')
      return
    }
    const trouble = troubleOf(end, wasLive)
    if (trouble) events.trouble(trouble, end.code)
    // A session that could not start ends before it is live, and has a report nevertheless.
    emitSession()
    events.state('ended')
  })
}

/** Milliseconds between two levels of the agent's sound. */
const LEVELS = 50

/** The browser may refuse a microphone that is gone: any other is better than none. */
const constraintsOf = ({ microphone }: Devices): MediaTrackConstraints =>
  microphone === undefined ? {} : { deviceId: { ideal: microphone } }

async function useSpeaker(call: Call, { speaker = '' }: Devices): Promise<void> {
  const context = call.output?.context as
    | (AudioContext & { setSinkId?(id: string): Promise<void> })
    | undefined
  await context?.setSinkId?.(speaker)
}

/** Measures the agent's sound while the call is live. */
function followSound(call: Call, events: CallEvents, devices: Devices): void {
  let analyser: AnalyserNode | undefined
  let timer: Timer | undefined
  const samples = new Float32Array(1_024)
  const measure = (): void => {
    analyser?.getFloatTimeDomainData(samples)
    events.agentLevel(Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length))
    timer = systemClock.after(LEVELS, 'level of the agent', measure)
  }
  call.on('state', (state) => {
    timer?.clear()
    const { output } = call
    if (state !== 'live' || !output) return
    if (!analyser) {
      analyser = output.context.createAnalyser()
      analyser.fftSize = samples.length
      output.connect(analyser)
      if (devices.speaker !== undefined) useSpeaker(call, devices).catch(() => {})
    }
    measure()
  })
}

const troubles: Readonly<Partial<Record<CallErrorCode, CallTrouble>>> = {
  MICROPHONE_DENIED: 'microphone-denied',
  MICROPHONE_MISSING: 'microphone-missing',
  MICROPHONE_FAILED: 'microphone-failed',
  SOUND_BLOCKED: 'sound-blocked',
  SOUND_FAILED: 'sound-failed',
  WEBRTC_FAILED: 'webrtc-failed',
}

function troubleOf({ reason, code }: CallEnd, wasLive: boolean): CallTrouble | undefined {
  if (code === 'CALL_GONE') return 'gone'
  if (code === 'BUSY' || code === 'TOO_FAST') return 'busy'
  if (reason === 'lost') return wasLive ? 'lost' : 'unreachable'
  if (reason === 'refused' || reason === 'replaced' || reason === 'unanswered') return reason
  return undefined
}

// ── the ticket to rejoin a call after a reload ──

const TICKET = 'endwell call'

function storedTicket(): Ticket | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(TICKET) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

function storeTicket(ticket: Ticket | undefined): void {
  try {
    if (ticket) sessionStorage.setItem(TICKET, JSON.stringify(ticket))
    else sessionStorage.removeItem(TICKET)
  } catch {
    // The browser has no session storage: a reload ends the call.
  }
}
