export { formatReport, type FormatOptions } from './format-report.ts'
export { jsonLine } from './json-line.ts'
export { isHealthy, rowsOf, type Heading, type Note, type Outcome, type Row, type Span } from './rows.ts'
export { plain, timeText } from './terminal-text.ts'
