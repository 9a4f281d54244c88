import { type Lianxi, type Question, sumOf } from '@teaching/contracts';

type Content = Lianxi['content'];

export const summaryOf = ({ questions }: Content) => ({
  question_count: questions.length,
  total_points: sumOf(questions.map(({ points }) => points)),
});

/** What students get to see before their mark is released: no key, also not of free text, where it is the model answer. */
export const withoutKeys = ({ questions }: Content): Content => ({
  questions: questions.map(({ answer_key: _hidden, ...shown }: Question) => shown),
});
