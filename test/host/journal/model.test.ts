import { describe } from 'vitest'
import { onVirtualStage } from '../../../src/testing/index.ts'
import { MemoryJournal } from '../../../src/testing/memory-journal.ts'
import { conform } from './conform.ts'

describe('[HO13] [HO15] the journal in memory', () => {
  conform(({ clock }) => {
    const journal = new MemoryJournal({ clock })
    return { journal, another: async () => journal.another(), end: () => journal.close() }
  }, onVirtualStage)
})
