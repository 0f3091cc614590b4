/** An error that is sent as an `error` event. The session continues. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  readonly param: string | null
  readonly type: string

  constructor(code: string, message: string, param: string | null, type: string) {
    super(message)
    this.code = code
    this.param = param
    this.type = type
  }
}

/** An error about an invalid client event. */
export function invalid(code: string, message: string, param: string | null = null): ApiError {
  return new ApiError(code, message, param, 'invalid_request_error')
}
