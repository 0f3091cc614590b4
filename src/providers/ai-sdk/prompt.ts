import type { LlmRequest, Message, ToolDescription } from '../../parts/index.ts'
import { parseObject } from '../parse-object.ts'
import { attachmentOf } from './attachments.ts'
import type { FunctionTool, PromptMessage, ToolResultPart } from './language-model.ts'

/**
 * Converts a conversation for the SDK. Consecutive messages of one side are merged into one. `model` gets back what its
 * vendor attached to its answers, and nothing of another vendor's.
 */
export function promptOf({ instructions, messages }: LlmRequest, model: string): PromptMessage[] {
  const prompt: PromptMessage[] = []
  if (instructions !== '') prompt.push({ role: 'system', content: instructions })
  for (const message of messages) add(prompt, message, model)
  return prompt
}

export function toolsOf(tools: readonly ToolDescription[]): FunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    inputSchema: parameters as Record<string, never>,
  }))
}

function add(prompt: PromptMessage[], message: Message, model: string): void {
  switch (message.role) {
    case 'system':
      prompt.push({ role: 'system', content: message.text })
      return
    case 'user':
      // Some vendors reject empty text.
      if (message.text !== '') contentOf(prompt, 'user').push({ type: 'text', text: message.text })
      return
    case 'agent': {
      const { before = [], options } = attachmentOf(message.vendor, model)
      const attached = options && { providerOptions: options }
      if (message.text === '' && before.length === 0 && !attached) return
      contentOf(prompt, 'assistant').push(...before)
      if (message.text !== '' || attached)
        contentOf(prompt, 'assistant').push({ type: 'text', text: message.text, ...attached })
      return
    }
    case 'tool-call': {
      const { before = [], options } = attachmentOf(message.vendor, model)
      contentOf(prompt, 'assistant').push(...before, {
        type: 'tool-call',
        toolCallId: message.id,
        toolName: message.name,
        // Vendors accept only objects. If the model's JSON was invalid, the tool's result says so.
        input: parseObject(message.input),
        ...(options && { providerOptions: options }),
      })
      return
    }
    case 'tool-result':
      contentOf(prompt, 'tool').push({
        type: 'tool-result',
        toolCallId: message.id,
        toolName: message.name,
        output: outputOf(message.output, message.failed),
      })
  }
}

type Content<Role> = Extract<PromptMessage, { role: Role }>['content']

/** The content of the last message if it has this role, otherwise of a new message. */
function contentOf<Role extends 'user' | 'assistant' | 'tool'>(
  prompt: PromptMessage[],
  role: Role,
): Content<Role> {
  const last = prompt.at(-1)
  if (last?.role === role) return last.content as Content<Role>
  const content = [] as Content<Role>
  prompt.push({ role, content } as PromptMessage)
  return content
}

function outputOf(value: string, failed: boolean): ToolResultPart['output'] {
  return { type: failed ? 'error-text' : 'text', value }
}
