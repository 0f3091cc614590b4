import { describe, expect, it } from 'vitest'
import { judgeGreeting } from './greeting-words.ts'

const machine = [
  "Hi, you've reached Tom. Please leave a message after the tone.",
  "Sorry I can't come to the phone right now. Leave me your name and number.",
  'Your call has been forwarded to an automatic voice message system.',
  'The person you are trying to reach is not available. At the tone, please record your message.',
  "We're closed. We will get back to you as soon as possible.",
  'You have reached the voicemail of four one five.',
  'Guten Tag, Sie sind mit der Mailbox von Anna verbunden. Bitte hinterlassen Sie eine Nachricht.',
  'Ich bin gerade nicht erreichbar, Nachrichten bitte nach dem Piepton.',
  'Der gewünschte Gesprächspartner ist zurzeit nicht erreichbar.',
  'Bonjour, vous êtes bien sur le répondeur de Marie, laissez un message après le bip.',
  'Hola, ahora no puedo atenderte, deja tu mensaje después de la señal.',
  'Risponde la segreteria telefonica, lasciate un messaggio dopo il segnale acustico.',
  'Dit is de voicemail van Jan, spreek je bericht in na de piep.',
  'No momento não posso atender. Deixe sua mensagem após o sinal.',
]

const full = [
  'The mailbox is full and cannot accept any messages at this time. Goodbye.',
  'The person you called has a voice mailbox that has not been set up yet.',
  'Die Mailbox ist leider voll.',
  'La boîte vocale est pleine.',
]

const screening = [
  'Hi, if you record your name and reason for calling, I will see if this person is available.',
  'The person you are calling is using a screening service. Please say your name.',
  'Bitte sagen Sie Ihren Namen und den Grund Ihres Anrufs.',
]

const menu = [
  'Thank you for calling Bright Dental. For appointments, press 1. For billing, press 2.',
  'Please listen carefully, as our menu options have recently changed.',
  'Willkommen. Für Fragen zur Rechnung drücken Sie bitte die Eins.',
  'Bienvenue. Pour le service client, appuyez sur la touche 1.',
  'Para ventas, pulse 1.',
]

const person = [
  'Hello?',
  'Good morning, Bright Dental, this is Anna speaking, how can I help you?',
  "Yes, this is he. Who's calling please?",
  'Hello, Miller residence, can you hold on a second? I was just about to leave the house.',
  'Guten Tag, Zahnarztpraxis Müller, mein Name ist Schmidt, was kann ich für Sie tun?',
  'Allô oui bonjour, cabinet du docteur Martin, que puis-je faire pour vous ?',
  'Hola, buenas tardes, ¿con quién hablo?',
  'Pronto, studio dentistico Rossi, come posso aiutarla?',
]

describe('the words of a greeting', () => {
  it.each(machine)('[MD5] are those of a machine: %s', (text) => {
    expect(judgeGreeting(text)).toEqual({ by: 'machine' })
  })

  it.each(full)('[MD5] are those of a machine that takes no messages: %s', (text) => {
    expect(judgeGreeting(text)).toEqual({ by: 'machine', kind: 'full' })
  })

  it.each(screening)('[MD5] are those of a screened call: %s', (text) => {
    expect(judgeGreeting(text)).toEqual({ by: 'menu', kind: 'screening' })
  })

  it.each(menu)('[MD5] are those of a menu: %s', (text) => {
    expect(judgeGreeting(text)).toEqual({ by: 'menu' })
  })

  it.each(person)('[MD5] do not make a person a machine: %s', (text) => {
    expect(judgeGreeting(text)).toBeUndefined()
  })
})
