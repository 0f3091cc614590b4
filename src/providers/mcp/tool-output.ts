import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js'

import { McpToolsetError } from './errors.ts'
import { limits } from './limits.ts'

/**
 * Converts a tool's result for the model: the text of its blocks, with a placeholder for each block that is not text, or
 * the structured content if there is no text. Throws if the tool reports a failure.
 */
export function outputOf({ content, structuredContent, isError }: CallToolResult): unknown {
  const text = clip(content.map(textOf).join('\n'))
  if (isError === true)
    throw new McpToolsetError('MCP_TOOL_FAILED', text || 'the tool failed and gave no reason')
  if (text !== '' || !structuredContent) return text === '' ? undefined : text
  const json = JSON.stringify(structuredContent)
  return json.length > limits.output ? clip(json) : structuredContent
}

function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource')
    return 'text' in block.resource ? block.resource.text : unreadable(block.resource.uri)
  if (block.type !== 'resource_link') return unreadable(`${block.type}, ${block.mimeType}`)
  const { title, name, uri, description = '' } = block
  return `[${title ?? name}: ${uri}] ${description}`.trim()
}

const unreadable = (what: string): string => `[${what}: not readable here]`

function clip(text: string): string {
  if (text.length <= limits.output) return text
  return `${text.slice(0, limits.output)}\n[${text.length - limits.output} more characters were cut]`
}
