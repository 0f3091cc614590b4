import { describe, expect, it } from 'vitest'
import { promptOf, toolsOf } from './prompt.ts'

describe('a prompt', () => {
  it('starts with the instructions unless they are empty', () => {
    expect(promptOf({ instructions: 'Be kind.', messages: [], tools: [] }, 'any')).toEqual([
      { role: 'system', content: 'Be kind.' },
    ])
    expect(promptOf({ instructions: '', messages: [], tools: [] }, 'any')).toEqual([])
  })

  it('merges consecutive messages of one side and leaves out empty ones', () => {
    const prompt = promptOf(
      {
        instructions: '',
        messages: [
          { role: 'user', text: 'Good morning.' },
          { role: 'user', text: 'Are you there?' },
          { role: 'agent', text: '' },
          { role: 'agent', text: 'One moment.' },
          { role: 'tool-call', id: 'a', name: 'find', input: '{"day":"Monday"}' },
          { role: 'tool-call', id: 'b', name: 'find', input: '{"day":' },
          { role: 'tool-call', id: 'c', name: 'find', input: '"Monday"' },
          { role: 'tool-result', id: 'a', name: 'find', output: 'at nine', failed: false },
          { role: 'tool-result', id: 'b', name: 'find', output: 'wrong input', failed: true },
          { role: 'tool-call', id: 'd', name: 'book', input: '{}' },
          { role: 'system', text: 'The caller is in a hurry.' },
        ],
        tools: [],
      },
      'any',
    )
    expect(prompt).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Good morning.' },
          { type: 'text', text: 'Are you there?' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'One moment.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'find', input: { day: 'Monday' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'find', input: {} },
          { type: 'tool-call', toolCallId: 'c', toolName: 'find', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'find',
            output: { type: 'text', value: 'at nine' },
          },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'find',
            output: { type: 'error-text', value: 'wrong input' },
          },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'd', toolName: 'book', input: {} }],
      },
      { role: 'system', content: 'The caller is in a hurry.' },
    ])
  })

  it('describes each tool as a function', () => {
    const parameters = { type: 'object', properties: { day: { type: 'string' } } }
    expect(toolsOf([{ name: 'find', description: 'Finds a slot', parameters }])).toEqual([
      { type: 'function', name: 'find', description: 'Finds a slot', inputSchema: parameters },
    ])
  })
})
