import { phases } from './phases.ts'
import type { Case } from './run-case.ts'
import { subjects } from './subjects.ts'

/** Cases that tell public reports again, by the phase in which those sessions were closed. */
const tales: Readonly<Record<string, string>> = {
  'deepgram stt · stuck hook': 'seed 001: the close hangs in a drain, and the socket of the STT is orphaned',
  'deepgram stt · idle end': 'seed 001: the orphaned STT is closed for inactivity, and dials again for hours',
  'gemini live · closed meanwhile': 'seed 004: our own end comes back as a 1000, and is taken for a drop',
  'gemini live · going away': 'seed 004: with a handle at hand, a closed session is resumed as a zombie',
}

/** Every provider in every phase of its connection that it has. */
export function allCases(): Case[] {
  return subjects.flatMap((subject) =>
    Object.entries(phases)
      .filter(([, { only = () => true }]) => only(subject))
      .map(([phase]) => {
        const tale = tales[`${subject.name} · ${phase}`]
        return { subject, phase, ...(tale === undefined ? {} : { tale }) }
      }),
  )
}
