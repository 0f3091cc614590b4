import type { TransferOutcome } from '../../src/parts/index.ts'
import type { Session, TransferOptions } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts, callTool } from '../../src/testing/index.ts'
import type {
  TwilioCall,
  TwilioCallOptions,
  TwilioPerson,
  TwilioPersonOptions,
} from '../../src/testing/servers/index.ts'
import { carrierScene, type CarrierScene, type CarrierSceneOptions } from './carrier-scene.ts'
import { MS_PER_CHARACTER } from './phone-sound.ts'

export const DESK = '+4930123456'

/** What the agent says to the person: 1,000 ms. Then it takes the silence for a yes or a no. */
const SUMMARY = 'Do you take a call? '

export interface WarmScene extends CarrierScene {
  readonly desk: TwilioPerson
  readonly caller: TwilioCall
  readonly session: Session
  readonly transfer: (options?: Partial<TransferOptions>) => Promise<TransferOutcome>
}

export interface WarmSceneOptions extends CarrierSceneOptions {
  readonly person?: TwilioPersonOptions
  readonly caller?: TwilioCallOptions
  /** What the person says. Default: yes. */
  readonly decision?: 'accept_call' | 'decline_call' | 'nothing'
}

/** A caller who talks to an agent, and a person to whom the caller can be transferred. */
export function warmScene(
  play: (scene: WarmScene) => Promise<void>,
  { person, caller: callerOptions, decision = 'accept_call', ...options }: WarmSceneOptions = {},
): Promise<void> {
  return carrierScene(
    async (scene) => {
      const desk = scene.carrier.person(DESK, person)
      const { caller, session } = await scene.talk(callerOptions)
      const transfer: WarmScene['transfer'] = (own) =>
        session.transfer({ to: DESK, how: 'warm', say: 'One moment.', sorry: 'Nobody is there.', ...own })
      await play({ ...scene, desk, caller, session, transfer })
    },
    { application: '12', session: { models: modelsFor(decision) }, ...options },
  )
}

/** Models with which an agent tells the person about the caller, and then takes the decision for the person. */
export function modelsFor(decision: NonNullable<WarmSceneOptions['decision']>) {
  const answer = decision === 'nothing' ? SUMMARY : [SUMMARY, callTool(decision)]
  return {
    llm: new ScriptedLlm({ answers: [answer, answer, answer] }),
    tts: new ScriptedTts({ msPerCharacter: MS_PER_CHARACTER }),
  }
}
