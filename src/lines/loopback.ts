/** Whether an address, or the name of a host, is this very machine. */
export function isLoopback(host: string | undefined): boolean {
  return host !== undefined && /^(localhost|(::ffff:)?127(\.\d+){3}|\[?::1\]?)$/.test(host)
}
