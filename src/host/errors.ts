import { EndwellError, type ErrorCode } from '../scope/index.ts'

/** A server could not listen: its port is in use or forbidden, or its address is not available. */
export class ListenError extends EndwellError {
  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    const [code, why] = reasons[cause.code ?? ''] ?? ['LISTEN_FAILED', cause.message]
    super(code, `cannot listen on port ${port} of ${host}: ${why}`, { cause })
  }
}

const reasons: Readonly<Record<string, readonly [code: ErrorCode, why: string]>> = {
  EADDRINUSE: ['PORT_IN_USE', 'it is in use. Stop the program that uses it, or choose another port'],
  EACCES: ['PORT_FORBIDDEN', 'permission denied. Choose a port above 1023'],
  EADDRNOTAVAIL: ['NO_SUCH_ADDRESS', 'this machine does not have that address. Use 127.0.0.1 or 0.0.0.0'],
  ENOTFOUND: ['NO_SUCH_ADDRESS', 'the name has no address. Use 127.0.0.1 or 0.0.0.0'],
}
