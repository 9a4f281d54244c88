import { describe, expect, it } from 'vitest';
import { LianxiContentInput, StudentIds } from './lianxi.schema.ts';

const question = { id: 'q', kind: 'free_text', prompt: '?', points: '1' };

describe('what is kept of a request', () => {
  it('is a question without what was sent as null', () => {
    const { questions } = LianxiContentInput.parse({ questions: [{ ...question, options: null, answer_key: null }] });
    expect(questions).toStrictEqual([{ ...question, points: '1.00' }]);
  });

  it('is a question with its options and key', () => {
    const choice = { ...question, kind: 'single_choice', options: ['a', 'b'], answer_key: 'a', points: '2.00' };
    expect(LianxiContentInput.parse({ questions: [choice] }).questions).toStrictEqual([choice]);
  });

  it('is each student once, in order', () => {
    expect(StudentIds.parse(['bob', 'ann', 'bob'])).toEqual(['ann', 'bob']);
  });

  it('is refused at each wrong question and each repeated id', () => {
    const wrong = { ...question, kind: 'true_false', answer_key: 'yes' };
    const found = LianxiContentInput.safeParse({ questions: [wrong, question] });
    expect(found.error?.issues.map((issue) => issue.path.join('.'))).toEqual([
      'questions.0.answer_key',
      'questions.1.id',
    ]);
  });
});
