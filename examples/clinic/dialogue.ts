import { ScriptedDialogue, days, times } from 'endwell/providers/local'

/** What the clinic understands without a language model: it needs no key, and answers at once. */
export const dialogue = new ScriptedDialogue({
  slots: { day: days, time: times },
  greeting: 'How can I help you?',
  intents: {
    hours: {
      says: ['when are you open', '[what are] your opening hours', 'are you open [on {day}]'],
      hint: 'when are you open',
      answer: 'We are open from eight to six, Monday to Friday.',
    },
    book: {
      says: [
        '[i would like to] book [me in] [an appointment] [on {day}] [at {time}]',
        '[i need] an appointment [on {day}] [at {time}]',
        'can i come in [on {day}] [at {time}]',
      ],
      hint: 'book an appointment on Monday at ten',
      needs: { day: 'Which day would suit you?', time: ['And at what time?', 'At what time?'] },
      call: 'book',
      before: 'Let me see.',
      answer: ['You are booked for {day} at {time}. See you then!', 'Done: {day} at {time}.'],
      failed: {
        say: 'I am sorry, that is not possible: {result}. What other time would suit you?',
        ask: 'time',
      },
    },
    move: {
      says: ['[can i] (move|change) my appointment [to {day}] [at {time}]'],
      hint: 'move my appointment',
      needs: { day: 'To which day?', time: 'And at what time?' },
      call: 'book',
      before: 'One moment.',
      answer: 'Your appointment is now on {day} at {time}.',
      failed: {
        say: 'I am sorry, that is not possible: {result}. What other time would suit you?',
        ask: 'time',
      },
    },
    cancel: {
      says: ['cancel my appointment', '[i] (can not|cannot) come'],
      hint: 'cancel my appointment',
      confirm: 'Shall I cancel your appointment?',
      call: 'cancel',
      answer: '{result}',
    },
    billing: {
      says: ['[a question about] my (bill|invoice)', '[can i speak to] billing'],
      hint: 'a question about my bill',
      call: 'transfer',
      before: 'I will put you through to billing.',
    },
    amount: {
      says: ['how much (is it|do i owe)', 'what do i owe [you]'],
      call: 'lookUpBill',
      before: 'Let me look that up.',
      answer: '{result} Anything else?',
    },
    person: {
      says: ['[can i|i would like to] (speak|talk) to a person'],
      hint: 'speak to a person',
      call: 'person',
      answer: 'I am sorry, nobody is free. What else can I do for you?',
      failed: 'I can only connect callers on the phone. What else can I do for you?',
    },
    // What the colleague says who is asked whether to take the call.
    accept: { says: ['[yes] i will take the call', 'put them through'], call: 'accept_call' },
    decline: { says: ['i am busy', 'not now'], call: 'decline_call' },
    // What somebody says whom the clinic calls.
    introduce: { says: ['hello', 'who is (this|speaking|calling)'], call: 'introduce', answer: '{result}' },
    confirm: { says: ['i will be there', 'i will come'], call: 'confirm' },
    back: { says: ['[put me] back to the (desk|reception)'], call: 'backToDesk' },
    thanks: { says: ['thank you', 'thanks'], answer: ['You are welcome! Anything else?', 'Gladly.'] },
    goodbye: { says: ['goodbye', 'bye [bye]', 'that is all', 'that will be all'], call: 'goodbye' },
  },
})
