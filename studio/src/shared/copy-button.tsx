import { useEffect, useState } from 'preact/hooks'
import { systemClock } from '../../../src/scope/index.ts'
import { announcement } from './announcement.ts'
import './copy-button.css'

/** How long a confirmation stays. */
const CONFIRMATION = 2_500

interface CopyButtonProps {
  readonly text: string
  /** What is copied, for the confirmation: `Link`. */
  readonly what: string
  readonly make: () => string | Promise<string>
}

/** A button that copies something, and says so for a while. It keeps its width, so that nothing next to it moves. */
export function CopyButton({ text, what, make }: CopyButtonProps) {
  const [done, setDone] = useState<'copied' | 'failed' | undefined>(undefined)
  useEffect(() => {
    if (done === undefined) return undefined
    announcement.value = done === 'copied' ? `${what} copied` : `${what} could not be copied`
    const timer = systemClock.after(CONFIRMATION, 'end of a confirmation', () => setDone(undefined))
    return () => timer.clear()
  }, [done, what])
  const copy = (): void => {
    Promise.resolve(make())
      .then((copied) => navigator.clipboard.writeText(copied))
      .then(() => setDone('copied'))
      .catch(() => setDone('failed'))
  }
  return (
    <button type="button" class="quiet copy" onClick={copy}>
      <span class={done === undefined ? '' : 'covered'}>{text}</span>
      {done !== undefined && (
        <span class="confirmation" aria-hidden="true">
          {done === 'copied' ? 'Copied' : 'Failed'}
        </span>
      )}
    </button>
  )
}
