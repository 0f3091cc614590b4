import { phases } from './phases.ts'
import type { Case } from './run-case.ts'
import { subjects } from './subjects.ts'

/** The public bug reports that a case reproduces. */
const bugReports: Readonly<Record<string, string>> = {
  'deepgram stt · stuck hook': 'seed 001: the close hangs in a drain and orphans the socket of the STT',
  'deepgram stt · idle end': 'seed 001: the orphaned STT is closed for inactivity and redials for hours',
  'gemini live · closed meanwhile': 'seed 004: a close with 1000 that we asked for is taken for a drop',
  'gemini live · going away': 'seed 004: a closed session resumes by its handle and becomes a zombie',
}

/** Every provider in every phase that its connection can be in. */
export function allCases(): Case[] {
  return subjects.flatMap((subject) =>
    Object.entries(phases)
      .filter(([, { only = () => true }]) => only(subject))
      .map(([phase]) => {
        const bugReport = bugReports[`${subject.name} · ${phase}`]
        return { subject, phase, ...(bugReport === undefined ? {} : { bugReport }) }
      }),
  )
}
