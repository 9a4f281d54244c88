import { z } from 'zod';
import { limitJson } from '../bounded-json.ts';
import { fields } from '../fields.ts';
import { areValid, distinct } from '../rules.ts';
import {
  Decimal,
  decimalInput,
  ID,
  Instant,
  InstantInput,
  optional,
  PersonId,
  PersonIdInput,
  PersonName,
  prose,
  text,
} from '../scalars.ts';
import { sortedSet } from './sorted-set.ts';

export const QUESTION_KINDS = ['single_choice', 'multiple_choice', 'true_false', 'fill_in', 'free_text'] as const;
export const MAX_QUESTIONS = 200;
/** Maximum value of `max_attempts`. */
export const MAX_ATTEMPTS = 1_000;
/** Maximum number of students or submissions in one request. */
export const MAX_STUDENTS = 500;
export const StudentIds = z.array(PersonIdInput).max(MAX_STUDENTS).transform(sortedSet);

const QuestionId = z
  .string()
  .regex(/^[\p{L}\p{N}_.:-]{1,64}$/u, 'must be 1 to 64 letters, digits or one of _ . : -')
  .refine((value) => value !== '__proto__', 'must not be __proto__');

const AnswerKey = z.union([text(1_000), z.boolean(), z.array(text(1_000)).min(1).max(50)]);

const isUnique = (list: readonly string[]): boolean => new Set(list).size === list.length;

type Key = z.output<typeof AnswerKey>;
const ONE_OPTION = 'must be one of the options';

/** The problem of an answer key, by kind of question; `undefined` if it is valid. */
const KEY_PROBLEMS: Record<
  (typeof QUESTION_KINDS)[number],
  (key: Key, options: readonly string[]) => string | undefined
> = {
  single_choice: (key, options) => (typeof key === 'string' && options.includes(key) ? undefined : ONE_OPTION),
  multiple_choice: (key, options) =>
    Array.isArray(key) && isUnique(key) && key.every((one) => options.includes(one))
      ? undefined
      : 'must be a list of different options',
  true_false: (key) => (typeof key === 'boolean' ? undefined : 'must be true or false'),
  fill_in: (key) => (typeof key === 'boolean' ? 'must be a text or a list of accepted texts' : undefined),
  free_text: (key) => (typeof key === 'string' ? undefined : 'must be a text'),
};

export const Question = z.object({
  id: z.string(),
  kind: z.enum(QUESTION_KINDS),
  prompt: z.string(),
  options: z.array(z.string()).optional(),
  /** Students get it after release of their mark, and never with `key: never`. */
  answer_key: z.union([z.string(), z.boolean(), z.array(z.string())]).optional(),
  points: Decimal,
});
export type Question = z.infer<typeof Question>;

/**
 * A question. The key of a choice is the correct option, of a multiple choice all correct options, of `fill_in` one or
 * several accepted texts (case and outer space are ignored), of `free_text` a model answer for the marker. A person
 * marks a closed question without a key. `null` is the same as absent.
 */
export const QuestionInput = z
  .strictObject({
    id: QuestionId,
    kind: z.enum(QUESTION_KINDS),
    prompt: text(10_000),
    options: optional(z.array(text(1_000)).max(50)),
    answer_key: optional(AnswerKey),
    points: decimalInput(0, 10_000),
  })
  .superRefine(
    ({ kind, options, answer_key }, ctx) => {
      const choices = options ?? [];
      const isChoice = kind === 'single_choice' || kind === 'multiple_choice';
      const addProblem = (path: string, message: string): void =>
        ctx.addIssue({ code: 'custom', path: [path], message });
      if (isChoice && choices.length < 2) addProblem('options', 'must contain at least two options');
      if (!isChoice && choices.length > 0) addProblem('options', 'must only be sent for choices');
      if (!isUnique(choices)) addProblem('options', 'must contain each option once');
      const problem = answer_key == null ? undefined : KEY_PROBLEMS[kind](answer_key, choices);
      if (problem !== undefined) addProblem('answer_key', problem);
    },
    { when: areValid(['kind', 'options', 'answer_key']) },
  )
  .transform(({ options, answer_key, ...question }): Question => ({
    ...question,
    ...(options == null ? {} : { options }),
    ...(answer_key == null ? {} : { answer_key }),
  }));

export const LianxiContentInput = z.strictObject({
  questions: z
    .array(QuestionInput)
    .max(MAX_QUESTIONS)
    .check(distinct(({ id }) => id, ['id'], 'must be unique in the exercise')),
});

/** `at_once`: an attempt that the system can score completely is released when it is submitted. */
const Release = z.enum(['manual', 'at_once']);
/** Whether students see the answer keys after one of their marks is released. */
const ShownKey = z.enum(['after_release', 'never']);

/** The fields of an exercise that clients set, except the assignment to single students. */
export const LianxiFields = fields({
  title: { input: text(200), output: z.string() },
  course_section_id: { input: ID, output: ID },
  content: { input: LianxiContentInput, output: z.object({ questions: z.array(Question) }) },
  due_at: { input: InstantInput, output: Instant.nullable(), default: null },
  closes_at: { input: InstantInput, output: Instant.nullable().default(null), default: null },
  max_attempts: { input: z.int().min(1).max(MAX_ATTEMPTS), output: z.int().nullable().default(null), default: null },
  clazz_id: { input: ID, output: z.string().nullable(), default: null },
  release: { input: Release, output: Release.default('manual'), default: 'manual' },
  key: { input: ShownKey, output: ShownKey.default('after_release'), default: 'after_release' },
});

const { title, course_section_id, content, due_at, closes_at, ...lianxiOutput } = LianxiFields.output;
/** An exercise in lists. For a student, `due_at` and `closes_at` are the times in force for the student. */
export const LianxiRow = z.object({
  id: ID,
  org_id: ID,
  title,
  course_id: ID,
  course_section_id,
  /** The owner. */
  teacher_id: PersonId,
  ...lianxiOutput,
  due_at,
  /** Time after which no attempt is accepted. With an extension, the later of both times applies. */
  closes_at,
  question_count: z.int(),
  total_points: Decimal,
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type LianxiRow = z.infer<typeof LianxiRow>;

export const Lianxi = LianxiRow.extend({
  content,
  /** Staff only: the students to whom it is assigned individually. */
  student_ids: z.array(PersonId).optional(),
});
export type Lianxi = z.infer<typeof Lianxi>;

const QuestionShare = z.object({
  id: z.string(),
  /** numerator / denominator; null while no answer has points. */
  share_correct: z.number().nullable(),
  /** Number of students with all points of the question. */
  numerator: z.int(),
  /** Number of students whose answer was scored. A missing answer to a closed question has 0 points. */
  denominator: z.int(),
});

/** The results of an exercise. The latest attempt of each student counts. */
export const LianxiOverview = z.object({
  lianxi_id: ID,
  /** Number of students to whom it is assigned now. */
  assigned: z.int(),
  /** Number of students who submitted, including students who have left the class. */
  handed_in: z.int(),
  /** Number of these with a score. Mean and median are calculated from their scores. */
  marked: z.int(),
  /** Assigned students without a submission. */
  not_handed_in: z.array(PersonId),
  /** In the order of `not_handed_in`. */
  not_handed_in_names: z.array(PersonName),
  /** In points, rounded half up; null without a score. */
  mean: Decimal.nullable(),
  median: Decimal.nullable(),
  total_points: Decimal,
  /** In the order of the exercise. A question with 0 points has no share. */
  questions: z.array(QuestionShare),
});
export type LianxiOverview = z.infer<typeof LianxiOverview>;

/** Names and titles beside the ids of an exercise. */
const lianxiNames = {
  teacher_name: PersonName,
  course_title: z.string(),
  course_section_title: z.string(),
};
/** `attempts` and the fields after it are about the student of the list; `null` in lists that are not for one student. */
export const NamedLianxiRow = LianxiRow.extend({
  ...lianxiNames,
  attempts: z
    .int()
    .nullable()
    .default(null)
    .meta({ description: 'Number of attempts of the student; `null` in lists that are not for one student' }),
  last_submitted_at: Instant.nullable()
    .default(null)
    .meta({ description: 'Time of the last attempt of the student; `null` without one' }),
  last_score: Decimal.nullable().default(null).meta({
    description: 'Score of the last attempt, as a decimal with two places; `null` until its mark is released',
  }),
});
export const NamedLianxi = Lianxi.extend({
  ...lianxiNames,
  /** Staff only: names in the order of `student_ids`. */
  student_names: z.array(PersonName).optional(),
});

export const LianxiExtension = z.object({
  lianxi_id: ID,
  student_id: PersonId,
  due_at: Instant,
  granted_by: PersonId,
  updated_at: Instant,
});

/** An answer, by kind of question: an option, a list of options, a boolean, or a text. */
export const AnswerInput = z.union([prose(20_000), z.boolean(), z.array(prose(1_000)).max(50)]);
export const Answers = limitJson(
  z.record(QuestionId, AnswerInput),
  'Answers by question id: an option, a list of options, a boolean, or a text',
);
export type Answers = z.infer<typeof Answers>;
/** Maximum bytes of the answers of one submission, as JSON in UTF-8. */
export const MAX_ANSWER_BYTES = 65_536;

export const SUBMISSION_STATUSES = ['submitted', 'marking', 'marked', 'released'] as const;
export const SubmissionStatus = z.enum(SUBMISSION_STATUSES);
export type SubmissionStatus = z.infer<typeof SubmissionStatus>;

const Score = decimalInput(0);
const PointsInput = limitJson(
  z.record(z.string().max(64), Score),
  'Points by question id: decimals with at most two places',
);
const RubricLine = z.object({ criterion: z.string(), points: Decimal, comment: z.string().optional() });
const RubricLineInput = z.strictObject({ criterion: text(200), points: Score, comment: prose(2_000).optional() });

/** The fields of a mark that clients set. `points` are by question id. */
export const MarkFields = fields({
  score: { input: Score, output: Decimal },
  points: { input: PointsInput, output: z.record(z.string(), Decimal), default: {} },
  comment: { input: prose(10_000), output: z.string().nullable(), default: null },
  rubric: { input: z.array(RubricLineInput).max(50), output: z.array(RubricLine).nullable(), default: null },
});

const markOutput = {
  ...MarkFields.output,
  points: MarkFields.output.points.nullable(),
  /** Number of marks given so far; 0 before the first. */
  revision: z.int(),
  marked_at: Instant,
};
const notYetMarked = { score: Decimal.nullable(), marked_at: Instant.nullable() };

/**
 * One attempt. For a student, all fields of the mark are absent until release, also if the system scored it. Only staff
 * see claims.
 */
export const Submission = z.object({
  id: ID,
  lianxi_id: ID,
  student_id: PersonId,
  attempt: z.int(),
  answers: z.record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string())])),
  submitted_at: Instant,
  late: z.boolean(),
  status: SubmissionStatus,
  released_at: Instant.nullable(),
  ...z.object({ ...markOutput, ...notYetMarked }).partial().shape,
  marked_by: PersonId.nullable().optional(),
  claimed_by: PersonId.nullable().optional(),
  claim_expires_at: Instant.nullable().optional(),
  version: z.int(),
});
export type Submission = z.infer<typeof Submission>;

/** An attempt in responses, with names. Only staff see the names of markers. */
export const NamedSubmission = Submission.extend({
  lianxi_title: z.string(),
  student_name: PersonName,
  marked_by_name: PersonName.optional(),
  claimed_by_name: PersonName.optional(),
});
export type NamedSubmission = z.infer<typeof NamedSubmission>;

/** A mark in the history of a submission. `marked_by` is null if the system scored it. */
export const MarkRevision = z.object({
  ...markOutput,
  marked_by: PersonId.nullable(),
  marked_by_name: PersonName,
  reason: z.string().nullable(),
});
export type MarkRevision = z.infer<typeof MarkRevision>;
