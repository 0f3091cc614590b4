/** Frame durations in milliseconds, by the three kinds of configurations (RFC 6716, table 2). */
const silk = [10, 20, 40, 60]
const hybrid = [10, 20]
const celt = [2.5, 5, 10, 20]

/** The longest sound that a packet may have. */
const MAX_DURATION = 120

/** Milliseconds of sound in an Opus packet, by its first bytes. 0 if it is not a packet. */
export function opusDuration(packet: Uint8Array): number {
  const [head, count = 0] = packet
  if (head === undefined) return 0
  const configuration = head >> 3
  const frame =
    configuration < 12
      ? silk[configuration & 3]!
      : configuration < 16
        ? hybrid[configuration & 1]!
        : celt[configuration & 3]!
  const code = head & 3
  const frames = code === 0 ? 1 : code === 3 ? count & 63 : 2
  const duration = frame * frames
  return duration <= MAX_DURATION ? duration : 0
}
