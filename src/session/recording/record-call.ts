import type { RecordingChange } from '../../parts/index.ts'
import { OptionError, noop } from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import { SessionClosedError } from '../errors.ts'
import { limits } from '../limits.ts'
import { RecordingError } from './recording-sink.ts'

const changes: Readonly<Record<RecordingChange, true>> = {
  start: true,
  pause: true,
  resume: true,
  stop: true,
}

/**
 * Has the line record the call (RC1). Resolves to whether the line has confirmed the change, in bounded time. Rejects if the line
 * cannot record calls.
 */
export function recordCall(context: SessionContext, change: RecordingChange): Promise<boolean> {
  const recording = changeRecording(context, change)
  // A caller may drop the promise. It rejects if the session closes meanwhile: no unhandled rejection then.
  recording.catch(noop)
  return recording
}

async function changeRecording(context: SessionContext, change: RecordingChange): Promise<boolean> {
  if (!Object.hasOwn(changes, change))
    throw new OptionError(`recordCall: it must be start, pause, resume or stop; it is '${change}'`)
  if (!context.isOpen) throw new SessionClosedError('record the call', context.session.state)
  const { line } = context
  if (typeof line?.record !== 'function')
    throw new RecordingError(
      'RECORDING_UNSUPPORTED',
      `the line '${context.settings.line.name}' cannot record calls`,
    )
  const confirmed = await within(context, () => line.record!(change))
  if (!confirmed)
    context.failed(
      'recording',
      new RecordingError('RECORDING_UNCONFIRMED', `the line has not confirmed the change '${change}'`),
    )
  return confirmed
}

/** Resolves to false if the line does not answer in time, or fails. */
function within(context: SessionContext, ask: () => Promise<boolean>): Promise<boolean> {
  const { scope } = context
  const confirming = new Promise<boolean>((resolve) => {
    const timer = scope.after(limits.recordCall, 'the line confirms a recording', () => resolve(false))
    const done = (confirmed: boolean): void => {
      timer.clear()
      resolve(confirmed)
    }
    const asking = new Promise<boolean>((settle) => settle(ask()))
    asking.then(
      (confirmed) => done(confirmed),
      (error: unknown) => {
        context.failed('recording', error)
        done(false)
      },
    )
  })
  return scope.until(confirming)
}
