import type { lianxiCalls, Output } from '@teaching/contracts';

export type Practice = Output<typeof lianxiCalls.listLianxi>['items'][number];
export type PracticeDetails = Output<typeof lianxiCalls.getLianxi>;
export type Question = PracticeDetails['content']['questions'][number];
export type Attempt = Output<typeof lianxiCalls.listSubmissions>['items'][number];
export type GivenAnswer = Attempt['answers'][string];

/** Whether another attempt is accepted: the practice is open and an attempt is left. */
export const canAttempt = (
  { closes_at, max_attempts }: Pick<Practice, 'closes_at' | 'max_attempts'>,
  attempts: number,
  now: number,
): boolean => (closes_at === null || Date.parse(closes_at) > now) && (max_attempts === null || attempts < max_attempts);

const hasContent = (answer: string | readonly string[]): boolean =>
  typeof answer === 'string' ? answer.trim() !== '' : answer.length > 0;

/**
 * The answers with content to questions that the practice still has; `false` is content, white space is none.
 */
export const answeredOf = (
  answers: Readonly<Record<string, GivenAnswer>>,
  questions: readonly Pick<Question, 'id'>[],
): Record<string, GivenAnswer> =>
  Object.fromEntries(
    Object.entries(answers).filter(
      ([id, answer]) =>
        questions.some((question) => question.id === id) && (typeof answer === 'boolean' || hasContent(answer)),
    ),
  );
