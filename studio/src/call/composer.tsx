import { useRef } from 'preact/hooks'
import './composer.css'

interface ComposerProps {
  readonly say: (text: string) => void
  /** Whether text would be lost: the call is not connected. */
  readonly disabled: boolean
}

/** A text field to use instead of the microphone. */
export function Composer({ say, disabled }: ComposerProps) {
  const field = useRef<HTMLInputElement>(null)
  const submit = (event: Event): void => {
    event.preventDefault()
    const { current } = field
    const text = current?.value.trim() ?? ''
    if (!current || text === '') return
    say(text)
    current.value = ''
    current.focus()
  }
  return (
    <form class="composer" onSubmit={submit}>
      <label class="sr" for="composer">
        Type instead of speaking
      </label>
      <input
        id="composer"
        ref={field}
        maxLength={2_000}
        autocomplete="off"
        placeholder="Type instead of speaking"
      />
      <button type="submit" disabled={disabled}>
        Send
      </button>
    </form>
  )
}
