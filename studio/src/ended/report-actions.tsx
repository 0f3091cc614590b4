import type { SessionReport } from '../../../src/session/index.ts'
import { ActionBar } from '../shared/action-bar.tsx'
import { CopyButton } from '../shared/copy-button.tsx'
import { download } from '../shared/download.ts'
import { linkTo } from '../shared/route.ts'

interface ReportActionsProps {
  readonly report: SessionReport
  readonly text: () => Promise<string>
  /** The faults that were on during the call. */
  readonly faults: readonly string[] | undefined
}

/** Buttons to copy and download a report. */
export function ReportActions({ report, text, faults }: ReportActionsProps) {
  const save = (): void =>
    download(`call-${report.id}.json`, 'application/json', JSON.stringify({ ...report, faults }, null, 2))
  return (
    <ActionBar>
      <CopyButton text="Copy as text" what="Report" make={text} />
      <button type="button" class="quiet" onClick={save}>
        Download JSON
      </button>
      <CopyButton text="Copy link" what="Link" make={() => new URL(linkTo(report.id), location.href).href} />
    </ActionBar>
  )
}
