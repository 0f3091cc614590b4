import { noop, systemClock } from '../scope/index.ts'

/** Milliseconds that what is closing may take to let the process go, and between two looks. */
const PATIENCE = 1_000
const LOOK_EVERY = 20

const names: Readonly<Record<string, string>> = {
  Timeout: 'a timer',
  Immediate: 'an immediate',
  TCPSocketWrap: 'a TCP connection',
  TCPServerWrap: 'a server',
  TLSWrap: 'a TLS connection',
  UDPWrap: 'a UDP socket',
  ProcessWrap: 'a child process',
  PipeWrap: 'a pipe',
  MessagePort: 'a worker thread',
  FSEventWrap: 'a file watcher',
  FSReqCallback: 'a file operation',
  GetAddrInfoReqWrap: 'a name lookup',
}

/**
 * What keeps the process alive now. Pass it to `heldOpen` later. Opens the streams that the command uses: one that is opened later
 * would count as held open. The reader of a stream may exit first, as `head` does, which must not end the process.
 */
export function holders(...more: readonly NodeJS.EventEmitter[]): readonly string[] {
  const streams: readonly NodeJS.EventEmitter[] = [process.stdout, process.stderr, ...more]
  for (const stream of streams) if (!stream.listeners('error').includes(noop)) stream.on('error', noop)
  return process.getActiveResourcesInfo()
}

/**
 * Waits until nothing keeps the process alive but what did `before`, for a second at most. Returns what is left, in words:
 * `2 timers` of the agent's file, `a TCP connection` of a tool that was abandoned (HO10).
 */
export async function heldOpen(before: readonly string[]): Promise<string[]> {
  const until = systemClock.now() + PATIENCE
  for (;;) {
    const left = leftOver(before)
    if (left.length === 0 || systemClock.now() >= until) return inWords(left)
    await new Promise<void>((resolve) => {
      systemClock.after(LOOK_EVERY, 'another look at what holds the process open', resolve)
    })
  }
}

function leftOver(before: readonly string[]): string[] {
  const known = [...before]
  return process.getActiveResourcesInfo().filter((each) => {
    // The event loop empties the queue of closed handles in its next turn.
    if (each === 'CloseReq' || each === 'TickObject') return false
    const index = known.indexOf(each)
    if (index === -1) return true
    known.splice(index, 1)
    return false
  })
}

function inWords(left: readonly string[]): string[] {
  return [...new Set(left)].map((type) => {
    const count = left.filter((each) => each === type).length
    const name = names[type] ?? type
    return count === 1 ? name : `${count} × ${name.replace(/^an? /, '')}`
  })
}
