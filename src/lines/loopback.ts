/** Whether an address or host name is this machine. */
export function isLoopback(host: string | undefined): boolean {
  return host !== undefined && /^(localhost|(::ffff:)?127(\.\d+){3}|\[?::1\]?)$/.test(host)
}
