const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'] as const
const names: Readonly<Record<string, string>> = { '*': 'star', '#': 'hash' }

/** The keys of a telephone. */
export function Keypad({ press }: { readonly press: (key: string) => void }) {
  return (
    <div class="keypad" role="group" aria-label="Keypad">
      {keys.map((key) => (
        <button type="button" key={key} aria-label={names[key] ?? key} onClick={() => press(key)}>
          {key}
        </button>
      ))}
    </div>
  )
}
