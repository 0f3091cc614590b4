// The agent file of the hosts behind the proxies. It needs no key, and its first words are long enough to be heard.
import { Agent } from 'endwell'
import { ScriptedLlm, ScriptedTts } from 'endwell/testing'

export default {
  name: 'Bright Dental',
  agent: () =>
    new Agent({
      name: 'desk',
      instructions: '',
      onEnter: ({ session }) => {
        session.say('Good morning, this is Bright Dental.')
      },
    }),
  models: () => ({
    llm: new ScriptedLlm({ answers: () => 'We open at nine.' }),
    tts: new ScriptedTts({ msPerCharacter: 10 }),
  }),
}
