import { EndwellError } from '../scope/index.ts'

/** A guarded session tried to open something while closing or after its close (GD2). */
export class GuardClosedError extends EndwellError {
  constructor(guard: string, what: string) {
    super(
      'GUARD_CLOSED',
      `cannot ${what}: it was requested by guarded session '${guard}', which is closing or closed`,
    )
  }
}

/** A guard was created before the hooks were installed. */
export class GuardNotInstalledError extends EndwellError {
  constructor() {
    super(
      'GUARD_NOT_INSTALLED',
      `a guard needs its hooks: import 'endwell/guard/install' before the guarded framework`,
    )
  }
}

/** A guarded session could not connect. `cause` is the framework's error, if it reported one. */
export class GuardConnectError extends EndwellError {
  constructor(guard: string, why: string, cause?: unknown) {
    super(
      'GUARD_NOT_CONNECTED',
      `guarded session '${guard}' could not connect: ${why}. Check the key, the model and the network, or try again`,
      cause === undefined ? {} : { cause },
    )
  }
}
