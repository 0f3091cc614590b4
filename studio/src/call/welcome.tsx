import { info } from '../host/store.ts'
import { PhraseList } from './phrases.tsx'
import './welcome.css'

const roles: Readonly<Record<string, string>> = {
  stt: 'STT',
  llm: 'LLM',
  tts: 'TTS',
  realtime: 'Realtime model',
}

/** What the page shows before the first call. */
export function Welcome() {
  const models = Object.entries(info.value?.models ?? {}).filter(([role]) => roles[role])
  return (
    <div class="welcome">
      <p class="lead">
        Press <b>Call</b> and talk. Interrupt the agent, or hang up in the middle of a sentence, and see how
        the call ends.
      </p>
      <PhraseList />
      {models.length > 0 && (
        <p class="quiet">{models.map(([role, name]) => `${roles[role]}: ${name}`).join(' · ')}</p>
      )}
    </div>
  )
}
