import { EndwellError } from '../scope/index.ts'

/** What a session that is closed tried to open was refused (GD2). */
export class GuardClosedError extends EndwellError {
  constructor(guard: string, what: string) {
    super(
      'GUARD_CLOSED',
      `cannot ${what}: it was asked for by what is left of guarded session '${guard}', which is closing or closed`,
    )
  }
}

/** A guard was made before the hooks it stands on. */
export class GuardNotInstalledError extends EndwellError {
  constructor() {
    super(
      'GUARD_NOT_INSTALLED',
      `a guard needs its hooks: import 'endwell/guard/install' first, before the framework that is guarded`,
    )
  }
}

/** A guarded session has not got its connection: `cause` is what its framework was told, if it was told anything. */
export class GuardConnectError extends EndwellError {
  constructor(guard: string, why: string, cause?: unknown) {
    super(
      'GUARD_NOT_CONNECTED',
      `guarded session '${guard}' was not connected: ${why}. Check its key, its model and the network, or connect again`,
      cause === undefined ? {} : { cause },
    )
  }
}
