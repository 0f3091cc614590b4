/** The protocol version, sent as `cartesia-version`. */
export const VERSION = '2026-08-14'
