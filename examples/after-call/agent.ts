// The clinic, with work after each call: it keeps the transcript in a file and sends the report to a CRM.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { webhook, type AgentFile } from 'endwell/host'
import clinic from '../clinic/agent.ts'

const {
  TRANSCRIPTS = 'transcripts',
  CRM_URL = 'http://127.0.0.1:4100/calls',
  // For a trial on this machine. Make your own: echo "whsec_$(openssl rand -base64 32)"
  CRM_SECRET = 'whsec_dGhpcyBzZWNyZXQgaXMga25vd24gdG8gZXZlcnlib2R5',
} = process.env

export default {
  ...clinic,
  afterCall: {
    async saveTranscript(report, { signal }) {
      const lines = report.transcript.flatMap((item) =>
        item.type === 'message' ? [`${item.role}: ${item.text}\n`] : [],
      )
      await mkdir(TRANSCRIPTS, { recursive: true })
      // The same file for every attempt: a second one changes nothing.
      await writeFile(join(TRANSCRIPTS, `${report.id}.txt`), lines, { signal })
    },
    crm: webhook({ url: CRM_URL, secret: CRM_SECRET }),
  },
} satisfies AgentFile
