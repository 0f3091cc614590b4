/**
 * The address in the arguments of `socket.connect`: options, a port and a host, a path, or the array of these that Node
 * uses internally.
 */
export function addressOf(args: readonly unknown[]): string {
  const [first, second] = args
  if (Array.isArray(first)) return addressOf(first)
  if (typeof first === 'object' && first !== null) return addressIn(first)
  if (typeof first === 'string' && !/^\d+$/.test(first)) return first
  return `${typeof second === 'string' ? second : 'localhost'}:${String(first)}`
}

function addressIn(options: { path?: unknown; host?: unknown; port?: unknown }): string {
  if (typeof options.path === 'string' && options.port === undefined) return options.path
  return `${typeof options.host === 'string' ? options.host : 'localhost'}:${String(options.port)}`
}
