import { useId, type ReactElement } from 'react'
import type { CallHandle } from './use-call.ts'

/** The words of a call button. */
export interface CallButtonLabels {
  readonly call: string
  readonly cancel: string
  readonly hangUp: string
  readonly connecting: string
  readonly live: string
  readonly rejoining: string
  readonly ended: string
}

const english: CallButtonLabels = {
  call: 'Call',
  cancel: 'Cancel',
  hangUp: 'Hang up',
  connecting: 'Connecting …',
  live: 'In a call',
  rejoining: 'Reconnecting …',
  ended: 'The call has ended',
}

export interface CallButtonProps {
  /** The result of `useCall`. */
  readonly call: CallHandle
  /** Default: English. */
  readonly labels?: Partial<CallButtonLabels>
  readonly className?: string
}

/**
 * Calls and hangs up, says how the call is doing, and shows its last error. It stays one button throughout, so that it
 * keeps the focus of the keyboard.
 */
export function CallButton({ call, labels, className = '' }: CallButtonProps): ReactElement {
  const { state, error, connect, hangUp } = call
  const texts = { ...english, ...labels }
  const status = useId()
  const calling = state === 'connecting' || state === 'live' || state === 'rejoining'
  const press = (): void => {
    if (calling) hangUp()
    // Never rejects: errors are part of the snapshot.
    else connect().catch(() => {})
  }
  return (
    <div className={`endwell-call ${className}`.trim()} data-state={state}>
      <button type="button" className="endwell-call-button" aria-describedby={status} onClick={press}>
        {state === 'connecting' ? texts.cancel : calling ? texts.hangUp : texts.call}
      </button>
      <span id={status} className="endwell-call-status" role="status">
        {state === 'idle' ? '' : texts[state]}
      </span>
      {error && (
        <span className="endwell-call-error" role="alert">
          {error.message}
        </span>
      )}
    </div>
  )
}
