import { z } from 'zod';
import { limitJson } from '../bounded-json.ts';
import { fields } from '../fields.ts';
import {
  Decimal,
  decimalInput,
  ID,
  Instant,
  InstantInput,
  optional,
  PersonId,
  PersonName,
  prose,
  text,
} from '../scalars.ts';
import { inOrder } from './in-order.ts';

export const QUESTION_KINDS = ['single_choice', 'multiple_choice', 'true_false', 'fill_in', 'free_text'] as const;
export const MAX_QUESTIONS = 200;
/** The largest limit of attempts that a practice may set. */
export const MAX_ATTEMPTS = 1_000;
/** Students that one practice, plan or marking call may name. */
export const MAX_STUDENTS = 500;
export const StudentIds = z.array(PersonId).max(MAX_STUDENTS).transform(inOrder);

const QuestionId = z
  .string()
  .regex(/^[\p{L}\p{N}_.:-]{1,64}$/u, 'must be 1 to 64 letters, digits or one of _ . : -')
  .refine((value) => value !== '__proto__', 'is not usable as an id');

const AnswerKey = z.union([text(1_000), z.boolean(), z.array(text(1_000)).min(1).max(50)]);

const isUnique = (list: readonly string[]): boolean => new Set(list).size === list.length;

type Key = z.output<typeof AnswerKey>;
const ONE_OPTION = 'must be one of the options';

/** What a key must be, by kind; `undefined` when it is fine. */
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
  /** For students only once their mark is released, and never with `key: never`. */
  answer_key: z.union([z.string(), z.boolean(), z.array(z.string())]).optional(),
  points: Decimal,
});
export type Question = z.infer<typeof Question>;

/**
 * One question. The key of a choice is the option itself, of a multiple choice all right options, of
 * `fill_in` one or several accepted texts (case and outer space do not count), of `free_text` a model
 * answer for the marker. A closed question without a key is marked by a person. What is sent as `null` is not kept.
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
  .superRefine(({ kind, options, answer_key }, ctx) => {
    const choices = options ?? [];
    const isChoice = kind === 'single_choice' || kind === 'multiple_choice';
    const say = (path: string, message: string): void => ctx.addIssue({ code: 'custom', path: [path], message });
    if (isChoice && choices.length < 2) say('options', 'must have at least two options');
    if (!isChoice && choices.length > 0) say('options', 'are for choices only');
    if (!isUnique(choices)) say('options', 'must be different');
    const problem = answer_key == null ? undefined : KEY_PROBLEMS[kind](answer_key, choices);
    if (problem !== undefined) say('answer_key', problem);
  })
  .transform(({ options, answer_key, ...question }): Question => ({
    ...question,
    ...(options == null ? {} : { options }),
    ...(answer_key == null ? {} : { answer_key }),
  }));

export const LianxiContentInput = z.strictObject({
  questions: z
    .array(QuestionInput)
    .max(MAX_QUESTIONS)
    .superRefine((questions, ctx) => {
      questions.forEach(({ id }, index) => {
        if (questions.findIndex((other) => other.id === id) !== index) {
          ctx.addIssue({ code: 'custom', path: [index, 'id'], message: 'is used twice' });
        }
      });
    }),
});

/** `at_once`: an attempt that a machine can score completely is released as it is handed in. */
const Release = z.enum(['manual', 'at_once']);
/** Whether a student sees the answer keys, once a mark of theirs at this practice is released. */
const ShownKey = z.enum(['after_release', 'never']);

/** What whoever made it may set, but for whom it is assigned to one by one. */
export const LianxiFields = fields({
  title: { input: text(200), output: z.string() },
  course_section_id: { input: ID, output: ID },
  content: { input: LianxiContentInput, output: z.object({ questions: z.array(Question) }) },
  due_at: { input: InstantInput, output: Instant.nullable(), standard: null },
  closes_at: { input: InstantInput, output: Instant.nullable().default(null), standard: null },
  max_attempts: { input: z.int().min(1).max(MAX_ATTEMPTS), output: z.int().nullable().default(null), standard: null },
  clazz_id: { input: ID, output: z.string().nullable(), standard: null },
  release: { input: Release, output: Release.default('manual'), standard: 'manual' },
  key: { input: ShownKey, output: ShownKey.default('after_release'), standard: 'after_release' },
});

const { title, course_section_id, content, due_at, closes_at, ...lianxiOutput } = LianxiFields.output;
/** A practice as it is listed. For a student `due_at` and `closes_at` are the times in force for them. */
export const LianxiRow = z.object({
  id: ID,
  org_id: ID,
  title,
  course_id: ID,
  course_section_id,
  /** Who made it. */
  teacher_id: PersonId,
  ...lianxiOutput,
  due_at,
  /** Nothing is handed in after it; by a student with an extension nothing after both. */
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
  /** Staff only: the students it is assigned to one by one. */
  student_ids: z.array(PersonId).optional(),
});
export type Lianxi = z.infer<typeof Lianxi>;

const QuestionShare = z.object({
  id: z.string(),
  /** numerator / denominator; null before anybody's answer has points. */
  share_correct: z.number().nullable(),
  /** Those who got all points of the question. */
  numerator: z.int(),
  /** Those whose answer has points, given by a machine or a person; an answer left out has none of a closed question. */
  denominator: z.int(),
});

/** How a practice stands: the latest attempt of each student counts, of everybody who handed in. */
export const LianxiOverview = z.object({
  lianxi_id: ID,
  /** Whom it is for at this moment. */
  assigned: z.int(),
  /** Of whomever; who left the class since is counted, too. */
  handed_in: z.int(),
  /** How many of these have a score: the mean and the median are theirs. */
  marked: z.int(),
  /** The students it is for who have not handed in at all. */
  not_handed_in: z.array(PersonId),
  /** In the same order. */
  not_handed_in_names: z.array(PersonName),
  /** Points, rounded half up; null before there is a score. */
  mean: Decimal.nullable(),
  median: Decimal.nullable(),
  total_points: Decimal,
  /** In the order of the practice; one that is worth nothing has no share. */
  questions: z.array(QuestionShare),
});
export type LianxiOverview = z.infer<typeof LianxiOverview>;

/** What the ids of a practice stand for, where it is read. */
const lianxiNames = {
  teacher_name: PersonName,
  course_title: z.string(),
  course_section_title: z.string(),
};
export const NamedLianxiRow = LianxiRow.extend(lianxiNames);
export const NamedLianxi = Lianxi.extend({
  ...lianxiNames,
  /** Staff only: of `student_ids`, in their order. */
  student_names: z.array(PersonName).optional(),
});

export const LianxiExtension = z.object({
  lianxi_id: ID,
  student_id: PersonId,
  due_at: Instant,
  granted_by: PersonId,
  updated_at: Instant,
});

/** An answer by kind: the option, a list of options, true or false, a text. */
export const AnswerInput = z.union([prose(20_000), z.boolean(), z.array(prose(1_000)).max(50)]);
export const Answers = limitJson(
  z.record(QuestionId, AnswerInput),
  'Answers by question id: an option, a list of options, true or false, or a text',
);
export type Answers = z.infer<typeof Answers>;
/** One submission's answers as JSON in UTF-8. */
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

/** What a mark says; `points` are by question id. */
export const MarkFields = fields({
  score: { input: Score, output: Decimal },
  points: { input: PointsInput, output: z.record(z.string(), Decimal), standard: {} },
  comment: { input: prose(10_000), output: z.string().nullable(), standard: null },
  rubric: { input: z.array(RubricLineInput).max(50), output: z.array(RubricLine).nullable(), standard: null },
});

const markOutput = {
  ...MarkFields.output,
  points: MarkFields.output.points.nullable(),
  /** Counts the marks given; 0 before the first. */
  revision: z.int(),
  marked_at: Instant,
};
const notYetMarked = { score: Decimal.nullable(), marked_at: Instant.nullable() };

/**
 * One attempt. For a student everything about the mark is absent until it is released, also when a
 * machine scored it; claims are for staff only.
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

/** An attempt as it is listed: what its ids stand for beside them; who marks it is for staff only. */
export const NamedSubmission = Submission.extend({
  lianxi_title: z.string(),
  student_name: PersonName,
  marked_by_name: PersonName.optional(),
  claimed_by_name: PersonName.optional(),
});
export type NamedSubmission = z.infer<typeof NamedSubmission>;

/** One mark in the history of a submission; `marked_by` is null for a machine's. */
export const MarkRevision = z.object({
  ...markOutput,
  marked_by: PersonId.nullable(),
  marked_by_name: PersonName,
  reason: z.string().nullable(),
});
export type MarkRevision = z.infer<typeof MarkRevision>;
