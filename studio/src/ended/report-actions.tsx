import { useEffect, useState } from 'preact/hooks'
import { systemClock } from '../../../src/scope/index.ts'
import type { SessionReport } from '../../../src/session/index.ts'
import { ActionBar } from '../shared/action-bar.tsx'
import { announcement } from '../shared/announcement.ts'
import { download } from '../shared/download.ts'
import { linkTo } from '../shared/route.ts'

/** How long a confirmation stays. */
const CONFIRMATION = 2_500

interface ReportActionsProps {
  readonly report: SessionReport
  readonly text: () => Promise<string>
}

/** Buttons to copy and download a report. */
export function ReportActions({ report, text }: ReportActionsProps) {
  const [done, setDone] = useState('')
  useEffect(() => {
    if (done === '') return undefined
    announcement.value = done
    const timer = systemClock.after(CONFIRMATION, 'end of a confirmation', () => setDone(''))
    return () => timer.clear()
  }, [done])
  const copy = (what: string, make: () => string | Promise<string>) => (): void => {
    Promise.resolve(make())
      .then((copied) => navigator.clipboard.writeText(copied))
      .then(() => setDone(`${what} copied`))
      .catch(() => setDone(`${what} could not be copied`))
  }
  const save = (): void =>
    download(`session-${report.id}.json`, 'application/json', JSON.stringify(report, null, 2))
  const permalink = new URL(linkTo(report.id), location.href).href
  return (
    <ActionBar done={done}>
      <button type="button" class="quiet" onClick={copy('Report', text)}>
        Copy as text
      </button>
      <button type="button" class="quiet" onClick={save}>
        Download JSON
      </button>
      <button type="button" class="quiet" onClick={copy('Link', () => permalink)}>
        Copy link
      </button>
    </ActionBar>
  )
}
