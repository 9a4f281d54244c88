import { type Lianxi, type LianxiContentInput, type Question, sumOf } from '@teaching/contracts';
import type { z } from 'zod';

type Content = Lianxi['content'];

/** The content as it is kept: without what was sent as `null`. */
export const contentOf = (input: z.output<typeof LianxiContentInput>): Content => ({
  questions: input.questions.map(({ id, kind, prompt, options, answer_key, points }) => ({
    id,
    kind,
    prompt,
    ...(options == null ? {} : { options }),
    ...(answer_key == null ? {} : { answer_key }),
    points,
  })),
});

export const summaryOf = ({ questions }: Content) => ({
  question_count: questions.length,
  total_points: sumOf(questions.map(({ points }) => points)),
});

/** What students get to see: no key, also not of free text, where it is the model answer. */
export const withoutKeys = ({ questions }: Content): Content => ({
  questions: questions.map(({ answer_key: _hidden, ...shown }: Question) => shown),
});
