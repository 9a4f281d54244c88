import { describe, expect, it } from 'vitest';
import { LianxiContentInput, StudentIds } from './lianxi.schema.ts';

const question = { id: 'q', kind: 'free_text', prompt: '?', points: '1' };

describe('Parsing an exercise request', () => {
  it('drops members of a question that are null', () => {
    const { questions } = LianxiContentInput.parse({ questions: [{ ...question, options: null, answer_key: null }] });
    expect(questions).toStrictEqual([{ ...question, points: '1.00' }]);
  });

  it('keeps the options and the key of a question', () => {
    const choice = { ...question, kind: 'single_choice', options: ['a', 'b'], answer_key: 'a', points: '2.00' };
    expect(LianxiContentInput.parse({ questions: [choice] }).questions).toStrictEqual([choice]);
  });

  it('sorts students and drops duplicates', () => {
    expect(StudentIds.parse(['bob', 'ann', 'bob'])).toEqual(['ann', 'bob']);
  });

  it('reports the path of each invalid question and each repeated id', () => {
    const wrong = { ...question, kind: 'true_false', answer_key: 'yes' };
    const found = LianxiContentInput.safeParse({ questions: [wrong, question] });
    expect(found.error?.issues.map((issue) => issue.path.join('.'))).toEqual([
      'questions.0.answer_key',
      'questions.1.id',
    ]);
  });
});
