import type { ComponentChild } from 'preact'
import { info } from '../host/store.ts'
import './phrases.css'

// Some models understand only the phrases that the host lists.

/** The phrases, to read before a call. */
export function PhraseList() {
  return <Phrases title="Things to say" plain render={(phrase) => <q>{phrase}</q>} />
}

interface PhraseButtonsProps {
  readonly say: (phrase: string) => void
  readonly disabled: boolean
}

/** The phrases as buttons, to use instead of the microphone. */
export function PhraseButtons({ say, disabled }: PhraseButtonsProps) {
  return (
    <Phrases
      title="Say or click"
      render={(phrase) => (
        <button type="button" disabled={disabled} onClick={() => say(phrase)}>
          {phrase}
        </button>
      )}
    />
  )
}

interface PhrasesProps {
  readonly title: string
  readonly plain?: boolean
  readonly render: (phrase: string) => ComponentChild
}

function Phrases({ title, plain = false, render }: PhrasesProps) {
  const phrases = info.value?.phrases ?? []
  if (phrases.length === 0) return null
  return (
    <div class={plain ? 'phrases plain' : 'phrases'}>
      <h3>{title}</h3>
      <ul>
        {phrases.map((phrase) => (
          <li key={phrase}>{render(phrase)}</li>
        ))}
      </ul>
    </div>
  )
}
