/** A place in a file that breaks a rule of words. */
export interface WordFault {
  line: number;
  message: string;
}

/** Words after which "who" has no noun to refer to. */
const NO_ANTECEDENT =
  'and|or|but|nor|of|for|to|from|by|with|than|as|because|since|so|if|when|while|until|not|only|on|at|in|is|are|was|be|' +
  'all|before|after|beside|like|without|about|against|among|then';

/** "Who", "whoever" and "whatever" as a subject without a noun: "Who leaves is suspended", "of who left". */
const FREE_SUBJECT = new RegExp(
  String.raw`\b[Ww]ho(?:m|se)?ever\b|\bWhatever\b|\bWho(?=\s+[a-z])|` +
    String.raw`(?:^|[.:;(|"'\x60“—–]\s*|\b(?:${NO_ANTECEDENT})\s+)who(?=\s+[a-z])`,
  'gm',
);

/** Marks of a comment or a list at the beginning of a line. */
const LEADING_MARKS = /^[ \t]*(?:\/\*\*?|\*\/?|\/\/|#+|>|-)?[ \t]*/;
/** Lines that continue no sentence of the line before. */
const BEGINS_BLOCK = /^[ \t]*(?:\/\*|#|-|\||\d+\.|>|$|[^*/\s].*[;{(,[]$)/;

/** A question may begin with "who". */
const isQuestion = (text: string, from: number): boolean => /^[^.!;|\n]*\?/.test(text.slice(from));

/**
 * Finds free "who", "whoever" and "whatever" in the comments and texts of a source, or in a document. The text of a wrapped
 * sentence counts as one line, so that a relative clause finds its noun on the line before.
 */
export const freeSubjects = (source: string): WordFault[] => {
  const lines = source.split('\n');
  const starts: number[] = [];
  let text = '';
  for (const line of lines) {
    text += BEGINS_BLOCK.test(line) ? '\n' : ' ';
    starts.push(text.length);
    text += line.replace(LEADING_MARKS, '');
  }
  return [...text.matchAll(FREE_SUBJECT)]
    .filter(({ index, 0: found }) => !isQuestion(text, index + found.length))
    .map(({ index, 0: found }) => ({
      line: starts.findLastIndex((start) => start <= index + found.trimEnd().length - 1) + 1,
      message: `"${found.trim()}" has no noun that it refers to`,
    }));
};

/** Words that say nothing about a file when they are its whole name. Participles end in "ed" or "ing". */
const BARE_WORDS = new Set(
  (
    'above about after against all any at before behind below beside between by during each few for from given here his in into ' +
    'its just kept known last late later left like live lost lately more most near nearby needs new next none of off on once one ' +
    'only other out over own part passed past real said same seen since some soon such taken than that them then there these ' +
    'this those through to together told too under until up upon what whatever when where which while who whole whom whose why ' +
    'with within without'
  ).split(' '),
);
/** Nouns of the field that look like participles. */
const NOUNS = new Set([
  'marking',
  'numbering',
  'scoring',
  'closing',
  'feed',
  'string',
  'training',
  'speed',
  'setting',
  'embed',
  'seed',
  'timing',
]);

/** The name of a file without its kinds: `leave` of `leave.rules.test.ts`. */
const baseName = (path: string): string => (path.split('/').at(-1) ?? '').split('.')[0] ?? '';

/** Whether a file is named by a bare preposition, adverb, pronoun, participle or question word. */
export const hasBareName = (path: string): boolean => {
  const name = baseName(path);
  return BARE_WORDS.has(name) || (/^[a-z]+(?:ed|ing)$/.test(name) && !NOUNS.has(name));
};

const SPEAKING = /^export (?:default )?(?:const|(?:async )?function\*?) ((?:tell|hear|say|ask)(?![a-z])\w*)/gm;

/** Exported functions that begin with tell, hear, say or ask. A process publishes, receives, logs or queries. */
export const speakingExports = (source: string): WordFault[] =>
  [...source.matchAll(SPEAKING)].map(({ index, 1: name }) => ({
    line: source.slice(0, index).split('\n').length,
    message: `${name}: a function that acts is named publish, receive, log, request or query`,
  }));
