import { type Answers, type FieldProblem, type Lianxi, type Question, sumOf } from '@teaching/contracts';

/** A place in a request as a JSON Pointer (RFC 6901). */
export const pointer = (...path: readonly string[]): string =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

type Answer = Answers[string];

/** Upper and lower case and outer space do not count in a fill-in. */
const plain = (value: string): string => value.normalize().trim().toLowerCase();

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  new Set(a).size === new Set(b).size && a.every((one) => b.includes(one));

const listOf = (value: string | boolean | readonly string[]): readonly string[] =>
  Array.isArray(value) ? value : [String(value)];

interface KindRules {
  /** Whether an answer fits the question, right or wrong. */
  fits(answer: Answer, options: readonly string[]): boolean;
  wanted: string;
  /** Whether the answer earns the points; a kind without this is for a person to mark. */
  isRight?(answer: Answer, key: NonNullable<Question['answer_key']>): boolean;
}

const KINDS: Record<Question['kind'], KindRules> = {
  single_choice: {
    fits: (answer, options) => typeof answer === 'string' && options.includes(answer),
    wanted: 'must be one of the options',
    isRight: (answer, key) => answer === key,
  },
  multiple_choice: {
    fits: (answer, options) => Array.isArray(answer) && answer.every((one) => options.includes(one)),
    wanted: 'must be a list of options',
    isRight: (answer, key) => sameSet(listOf(answer), listOf(key)),
  },
  true_false: {
    fits: (answer) => typeof answer === 'boolean',
    wanted: 'must be true or false',
    isRight: (answer, key) => answer === key,
  },
  fill_in: {
    fits: (answer) => typeof answer === 'string',
    wanted: 'must be a text',
    isRight: (answer, key) => listOf(key).some((accepted) => plain(accepted) === plain(String(answer))),
  },
  free_text: { fits: (answer) => typeof answer === 'string', wanted: 'must be a text' },
};

const answerProblem = ({ kind, options = [] }: Question, answer: Answer): string | undefined =>
  KINDS[kind].fits(answer, options) ? undefined : KINDS[kind].wanted;

/** Every answer must belong to a question and be of its kind. Questions may be left out. */
export const answerProblems = (questions: readonly Question[], answers: Answers): FieldProblem[] => {
  const byId = new Map(questions.map((question) => [question.id, question]));
  return Object.entries(answers).flatMap(([id, answer]): FieldProblem[] => {
    const question = byId.get(id);
    const message = question === undefined ? 'is not a question of this lianxi' : answerProblem(question, answer);
    return message === undefined ? [] : [{ path: pointer('body', 'answers', id), message }];
  });
};

const isRight = ({ kind, answer_key }: Question, answer: Answer | undefined): boolean =>
  answer !== undefined && answer_key !== undefined && KINDS[kind].isRight?.(answer, answer_key) === true;

/** A closed question with a key; the others are for a person to mark. */
const isClosed = ({ kind, answer_key }: Question): boolean =>
  KINDS[kind].isRight !== undefined && answer_key !== undefined;

/** Whether a machine scores all of an attempt, so that it needs no marker. */
export const isMachineScored = (questions: readonly Question[]): boolean =>
  questions.length > 0 && questions.every(isClosed);

/**
 * Points by question for what a machine can score: all or nothing, an unanswered question gets none.
 * `score` is null when a person has to mark the rest.
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

/** The mark that an attempt has from the beginning: a machine's if it could score all of it, released at once if the practice says so; or none yet. */
export const firstMark = ({ content, release }: Pick<Lianxi, 'content' | 'release'>, answers: Answers, at: string) => {
  const { points, score } = scoreAnswers(content.questions, answers);
  const said = { score, points, comment: null, rubric: null, marked_by: null };
  if (score === null) return { ...said, status: 'submitted', revision: 0, marked_at: null, released_at: null } as const;
  const marked = { ...said, revision: 1, marked_at: at };
  return release === 'at_once'
    ? ({ ...marked, status: 'released', released_at: at } as const)
    : ({ ...marked, status: 'marked', released_at: null } as const);
};
