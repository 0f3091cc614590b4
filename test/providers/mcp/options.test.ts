import { describe, expect, it } from 'vitest'

import { mcpTools } from '../../../src/providers/mcp/index.ts'

describe('mcpTools options', () => {
  it('that are invalid are refused at once, without repeating a URL', () => {
    expect(() => mcpTools({ command: 'x', startTimeout: Infinity })).toThrow(/startTimeout must be a finite/)
    expect(() => mcpTools({ url: 'ftp://me:secret@x/' })).toThrow(/http/)
    expect(() => mcpTools({ url: 'no address secret' })).not.toThrow(/secret/)
    expect(() => mcpTools({ url: 'no address' })).toThrow(/http/)
  })

  it('name the toolset after the command or the host by default', () => {
    expect(mcpTools({ command: '/usr/bin/npx', args: ['--key=secret'] }).name).toBe('npx')
    expect(mcpTools({ url: 'https://me:secret@crm.example.com/mcp?key=secret' }).name).toBe('crm.example.com')
    expect(mcpTools({ url: 'https://crm.example.com/mcp', name: 'crm' }).name).toBe('crm')
  })
})
