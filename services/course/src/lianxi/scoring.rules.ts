import { type Answers, type FieldProblem, type Lianxi, type Question, sumOf } from '@teaching/contracts';

/** The JSON Pointer (RFC 6901) of a path in a request. */
export const jsonPointer = (...path: readonly string[]): string =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

type Answer = Answers[string];

/** Texts are sent and stored in NFC; options and keys of older exercises may be in another form. */
const normalized = (value: Answer): Answer => {
  if (typeof value === 'string') return value.normalize();
  return Array.isArray(value) ? value.map((one) => one.normalize()) : value;
};

/** A fill-in text for comparison: case and outer white space do not count. */
const comparable = (value: string): string => value.normalize().trim().toLowerCase();

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  new Set(a).size === new Set(b).size && a.every((one) => b.includes(one));

const listOf = (value: string | boolean | readonly string[]): readonly string[] =>
  Array.isArray(value) ? value : [String(value)];

interface KindRules {
  /** Whether an answer has a valid form for the question, right or wrong. */
  isValid(answer: Answer, options: readonly string[]): boolean;
  /** The problem message for an invalid answer. */
  message: string;
  /** Whether the answer earns the points. A person marks the kinds without this function. */
  isRight?(answer: Answer, key: NonNullable<Question['answer_key']>): boolean;
}

const KINDS: Record<Question['kind'], KindRules> = {
  single_choice: {
    isValid: (answer, options) => typeof answer === 'string' && options.includes(answer),
    message: 'must be one of the options',
    isRight: (answer, key) => answer === key,
  },
  multiple_choice: {
    isValid: (answer, options) => Array.isArray(answer) && answer.every((one) => options.includes(one)),
    message: 'must be a list of options',
    isRight: (answer, key) => sameSet(listOf(answer), listOf(key)),
  },
  true_false: {
    isValid: (answer) => typeof answer === 'boolean',
    message: 'must be true or false',
    isRight: (answer, key) => answer === key,
  },
  fill_in: {
    isValid: (answer) => typeof answer === 'string',
    message: 'must be a text',
    isRight: (answer, key) => listOf(key).some((accepted) => comparable(accepted) === comparable(String(answer))),
  },
  free_text: { isValid: (answer) => typeof answer === 'string', message: 'must be a text' },
};

const answerProblem = ({ kind, options = [] }: Question, answer: Answer): string | undefined =>
  KINDS[kind].isValid(normalized(answer), listOf(normalized(options))) ? undefined : KINDS[kind].message;

/**
 * The problems of answers to unknown questions and of answers of the wrong form. Unanswered questions are no problem.
 */
export const answerProblems = (questions: readonly Question[], answers: Answers): FieldProblem[] => {
  const byId = new Map(questions.map((question) => [question.id, question]));
  return Object.entries(answers).flatMap(([id, answer]): FieldProblem[] => {
    const question = byId.get(id);
    const message = question === undefined ? 'is not a question of this exercise' : answerProblem(question, answer);
    return message === undefined ? [] : [{ path: jsonPointer('body', 'answers', id), message }];
  });
};

const isRight = ({ kind, answer_key }: Question, answer: Answer | undefined): boolean =>
  answer !== undefined &&
  answer_key !== undefined &&
  KINDS[kind].isRight?.(normalized(answer), normalized(answer_key)) === true;

/** Whether a machine can score the question: it is of a closed kind and has a key. A person marks the others. */
const isClosed = ({ kind, answer_key }: Question): boolean =>
  KINDS[kind].isRight !== undefined && answer_key !== undefined;

/** Whether a machine scores every question, so that no person has to mark the attempt. */
export const isMachineScored = (questions: readonly Question[]): boolean =>
  questions.length > 0 && questions.every(isClosed);

/**
 * The points of each question that a machine can score, by question id: full points or 0. An unanswered question gets
 * 0. `score` is null if a person has to mark the rest.
 */
export const scoreAnswers = (
  questions: readonly Question[],
  answers: Answers,
): { points: Record<string, string>; score: string | null } => {
  const points = Object.fromEntries(
    questions
      .filter(isClosed)
      .map((question) => [question.id, isRight(question, answers[question.id]) ? question.points : '0.00'] as const),
  );
  return { points, score: isMachineScored(questions) ? sumOf(Object.values(points)) : null };
};

/**
 * The mark of a new attempt at the instant `at`. If a machine can score all of it, the attempt is marked, and also
 * released if the exercise has `release: at_once`. Otherwise it has no mark yet.
 */
export const initialMark = (
  { content, release }: Pick<Lianxi, 'content' | 'release'>,
  answers: Answers,
  at: string,
) => {
  const { points, score } = scoreAnswers(content.questions, answers);
  const mark = { score, points, comment: null, rubric: null, marked_by: null };
  if (score === null) return { ...mark, status: 'submitted', revision: 0, marked_at: null, released_at: null } as const;
  const marked = { ...mark, revision: 1, marked_at: at };
  return release === 'at_once'
    ? ({ ...marked, status: 'released', released_at: at } as const)
    : ({ ...marked, status: 'marked', released_at: null } as const);
};
