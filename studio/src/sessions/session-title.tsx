import { useEffect, useState } from 'preact/hooks'
import { info } from '../host/store.ts'
import type { LiveSession } from '../live/live-session.ts'
import { ActionBar } from '../shared/action-bar.tsx'
import { CopyButton } from '../shared/copy-button.tsx'
import { Notice } from '../shared/notice.tsx'
import { linkTo, linkToList } from '../shared/route.ts'
import { clockText, dateText, exactDateText } from '../shared/texts.ts'
import { useTick } from '../shared/use-tick.ts'
import { firstWordsOf } from './first-words.ts'
import { lastSearch } from './list-state.ts'
import './session-title.css'

/** What call it is: its first words, who called, and when. */
export function SessionTitle({ session }: { readonly session: LiveSession }) {
  const summary = session.summary.value
  const isLive = summary !== undefined && session.report.value === undefined
  const title = summary ? firstWordsOf(summary) : 'Call'
  useEffect(() => {
    const before = document.title
    document.title = `${title} · ${info.value?.name ?? 'endwell studio'}`
    return () => {
      document.title = before
    }
  }, [title])
  return (
    <div class="session-title">
      <a class="back" href={linkToList(lastSearch.value)}>
        Calls
      </a>
      <h1>{title}</h1>
      <p class="about">
        {summary?.from !== undefined && <span>From {summary.from}</span>}
        {summary?.agent !== undefined && <span>answered by {summary.agent}</span>}
        {summary && (
          <time dateTime={new Date(summary.addedAt).toISOString()} title={exactDateText(summary.addedAt)}>
            {dateText(summary.addedAt)}
          </time>
        )}
        <code>{session.id}</code>
        {isLive && <Elapsed session={session} />}
      </p>
      {isLive && <Actions session={session} />}
    </div>
  )
}

function Elapsed({ session }: { readonly session: LiveSession }) {
  useTick(500)
  const since = session.tree.value?.createdAt
  const until = session.closing.value?.askedAt ?? session.now
  return <span class="live-badge">live{since === undefined ? '' : ` for ${clockText(until - since)}`}</span>
}

/** What an operator can do about a live call. */
function Actions({ session }: { readonly session: LiveSession }) {
  const [failure, setFailure] = useState('')
  const [busy, setBusy] = useState(false)
  const act = (verb: 'close' | 'drain' | 'interrupt') => (): void => {
    setFailure('')
    setBusy(true)
    session
      .act(verb)
      .catch((error: Error) => setFailure(error.message))
      .finally(() => setBusy(false))
  }
  return (
    <>
      <ActionBar>
        <CopyButton
          text="Copy link"
          what="Link"
          make={() => new URL(linkTo(session.id), location.href).href}
        />
        <button type="button" class="quiet" disabled={busy} onClick={act('interrupt')}>
          Interrupt
        </button>
        <button type="button" class="quiet" disabled={busy} onClick={act('drain')}>
          Let it finish
        </button>
        <button type="button" class="end" disabled={busy} onClick={act('close')}>
          Close now
        </button>
      </ActionBar>
      {failure !== '' && <Notice tone="bad" title={failure} />}
    </>
  )
}
