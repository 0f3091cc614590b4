import { EndwellError } from '../../scope/index.ts'

/** Something the vendor answers with an `error` event. The session goes on. */
export class ApiError extends EndwellError {
  readonly param: string | null
  readonly type: string

  constructor(code: string, message: string, param: string | null, type: string) {
    super(code, message)
    this.param = param
    this.type = type
  }
}

/** A request that cannot be met. */
export function invalid(code: string, message: string, param: string | null = null): ApiError {
  return new ApiError(code, message, param, 'invalid_request_error')
}
