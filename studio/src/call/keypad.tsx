import { useState } from 'preact/hooks'
import './keypad.css'

const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'] as const
const names: Readonly<Record<string, string>> = { '*': 'star', '#': 'hash' }

/** How many of the pressed keys are shown: more than any phone number has. */
const SHOWN = 32

interface KeypadProps {
  readonly press: (key: string) => void
  readonly disabled: boolean
}

/** The keys of a telephone. */
export function Keypad({ press, disabled }: KeypadProps) {
  const [pressed, setPressed] = useState('')
  const hit = (key: string): void => {
    press(key)
    setPressed((before) => (before + key).slice(-SHOWN))
  }
  return (
    <div class="keypad" role="group" aria-label="Keypad">
      {keys.map((key) => (
        <button
          type="button"
          key={key}
          aria-label={names[key] ?? key}
          disabled={disabled}
          onClick={() => hit(key)}
        >
          {key}
        </button>
      ))}
      <output aria-label="Pressed keys">{pressed}</output>
    </div>
  )
}
