/** What a greeting says about who answered. */
export interface GreetingVerdict {
  readonly by: 'machine' | 'menu'
  /** `full`: it takes no messages. `screening`: somebody, or their phone, asks who is calling before they answer. */
  readonly kind?: 'full' | 'screening'
}

/** Characters that are judged. A greeting that says nothing in two minutes is no greeting. */
const LONGEST = 2_000

/**
 * Phrases as they are transcribed, without accents and punctuation. In English, German, French, Spanish, Italian, Dutch and
 * Portuguese. Checked in this order: a mailbox that is full also says that it is a mailbox.
 */
const phrases: readonly (readonly [verdict: GreetingVerdict, pattern: RegExp])[] = [
  [
    { by: 'machine', kind: 'full' },
    any(
      String.raw`(mail ?box|voice ?mail|inbox) (is|of .{1,40} is) (currently |now )?full`,
      String.raw`(cannot|can not|can t|is not|not) (accept|accepting|take|taking) (any )?(new |more )?messages`,
      String.raw`has not been set up|hasn t been set up`,
      String.raw`(mailbox|postfach|anrufbeantworter) ist (leider |derzeit |zurzeit )?voll`,
      String.raw`(boite|messagerie) (vocale )?(de .{1,40} )?est pleine`,
      String.raw`buzon (de voz )?(esta )?lleno`,
      String.raw`(casella|segreteria) (vocale |telefonica )?(e )?piena`,
      String.raw`(voicemail|mailbox) is vol`,
      String.raw`caixa (de correio |postal )?(esta )?cheia`,
    ),
  ],
  [
    { by: 'menu', kind: 'screening' },
    any(
      String.raw`(say|state|record) your name (and|,)? ?(the )?(why|reason|purpose)`,
      String.raw`(who is|who s|whos) calling and (why|what)`,
      String.raw`(call|google) (screening|assist|screen)`,
      String.raw`(using|with) a screening service`,
      String.raw`see if (this|the) person is available`,
      String.raw`(nennen|sagen) sie (bitte )?ihren namen und (den grund|warum)`,
      String.raw`(dites|indiquez) votre nom et (la raison|le motif|pourquoi)`,
      String.raw`(diga|indique) su nombre y (el motivo|la razon|por que)`,
    ),
  ],
  [
    { by: 'machine' },
    any(
      // English
      String.raw`(leave|leaving) (me |us |him |her |them )?(a|your|the)( short| brief| detailed| voice)? (message|name)`,
      String.raw`(after|at) the (tone|beep|signal)`,
      String.raw`record your message`,
      String.raw`voice ?mail`,
      String.raw`answering machine`,
      String.raw`automatic(ally)? (voice )?(message|forwarded)`,
      String.raw`(forwarded|transferred) to (an? )?(automated|automatic)`,
      String.raw`(can not|cannot|can t|unable to|not able to|not available to) (come to the phone|take your call|answer (your|the) (call|phone))`,
      String.raw`(person|party|subscriber|customer|number) you (are|re|have|ve|called|dialed|dialled|are trying).{0,60}(not available|unavailable|not in service|unable|switched off)`,
      String.raw`get back to you (as soon as|later|when|at)`,
      // German
      String.raw`nach dem (signal|piep|ton|pfeif)`,
      String.raw`(hinterlassen|sprechen) sie .{0,30}(nachricht|namen|signal)`,
      String.raw`nachricht (hinterlassen|nach)`,
      String.raw`anrufbeantworter|mobil ?box|sprachbox`,
      String.raw`(zurzeit|derzeit|momentan|im moment|gerade) (leider )?nicht (erreichbar|zu erreichen|da|ans telefon)`,
      String.raw`(person|teilnehmer|gesprachspartner).{0,40}(nicht erreichbar|nicht zu erreichen)`,
      // French
      String.raw`(laissez|laisser) (moi |nous )?(un|votre|vos) (message|nom|coordonnees)`,
      String.raw`apres le (bip|signal|son)`,
      String.raw`(repondeur|boite vocale|messagerie vocale|messagerie de)`,
      String.raw`(pas|actuellement|moment) (disponible|joignable|repondre|absente?)`,
      // Spanish
      String.raw`(deje|deja|dejar|dejanos|dejenos) (me |nos )?(un|su|tu) (mensaje|nombre)`,
      String.raw`(despues de|tras|al oir) (la |el )?(senal|tono|pitido)`,
      String.raw`buzon de voz|contestador`,
      String.raw`no (podemos|puedo|puede|se encuentra) (atender|contestar|disponible)`,
      // Italian
      String.raw`(lasci|lasciate|lascia|lasciare) (pure )?(un|il (suo|tuo|vostro)) (messaggio|nome)`,
      String.raw`dopo (il|un) (segnale|bip|tono)`,
      String.raw`segreteria (telefonica)?`,
      String.raw`(utente|cliente) .{0,30}non (e )?(raggiungibile|disponibile)`,
      // Dutch
      String.raw`(laat|spreek) .{0,30}(bericht|boodschap|naam)`,
      String.raw`na de (piep|toon|pieptoon)`,
      String.raw`antwoordapparaat`,
      // Portuguese
      String.raw`(deixe|deixar) (a sua|sua|uma|o seu|seu) (mensagem|recado|nome)`,
      String.raw`(apos|depois do) o? ?(sinal|bipe|bip|tom)`,
      String.raw`caixa postal|correio de voz|gravador de chamadas`,
    ),
  ],
  [
    { by: 'menu' },
    any(
      String.raw`(press|dial|push|say) (the )?(1|2|3|one|two|three|0|zero|pound|star)\b`,
      String.raw`(main|following) menu|menu options|(our|the) (menu )?options have (recently )?changed`,
      String.raw`(for|to) .{3,60} (press|dial)\b`,
      String.raw`(calls? (may|will) be|being) (recorded|monitored)`,
      String.raw`(drucken|wahlen) sie (bitte )?(die )?(eins|zwei|drei|taste|1|2|3)`,
      String.raw`(appuyez sur|tapez|faites le) (la touche |le )?(1|2|3|un|deux|trois)`,
      String.raw`(pulse|marque|oprima|presione) (el )?(1|2|3|uno|dos|tres)`,
      String.raw`(prema|digiti|premere) (il )?(tasto )?(1|2|3|uno|due|tre)`,
      String.raw`(toets|kies|druk) (op )?(een|1|2|twee|3|drie)`,
      String.raw`(digite|tecle|pressione) (a )?(1|2|3|um|dois|tres)`,
    ),
  ],
]

/** Judges a greeting by its words. Undefined if they say nothing about who answered. */
export function judgeGreeting(text: string): GreetingVerdict | undefined {
  const words = plain(text.slice(0, LONGEST))
  return phrases.find(([, pattern]) => pattern.test(words))?.[0]
}

/** Lower case, without accents and punctuation. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function any(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.map((pattern) => `\\b(?:${pattern})`).join('|'), 'u')
}
