import { useEffect, useMemo } from 'preact/hooks'
import type { SessionReport } from '../../../src/session/index.ts'
import type { LiveSession } from '../live/live-session.ts'
import { Player } from './player.ts'

/** A player for the recording of a call that has ended. A call that went on in another process has several: plays the last. */
export function usePlayer(session: LiveSession | undefined): Player | undefined {
  const report = session?.report.value
  const player = useMemo(() => {
    const index = (report?.recordings?.length ?? 0) - 1
    if (!session || !report || index < 0) return undefined
    // It was begun when the session was started.
    return new Player(session.recordingUrl(index), Date.parse(report.startedAt ?? report.askedAt))
  }, [session, report])
  useEffect(() => () => player?.stop(), [player])
  return player
}

export const isComplete = ({ recordings }: SessionReport): boolean => recordings?.at(-1)?.complete === true
