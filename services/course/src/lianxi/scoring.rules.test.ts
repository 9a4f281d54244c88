import type { Question } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { answerProblems, scoreAnswers } from './scoring.rules.ts';

const question = (kind: Question['kind'], answer_key?: Question['answer_key'], options?: string[]): Question => ({
  id: 'q',
  kind,
  prompt: '?',
  points: '2.50',
  ...(options === undefined ? {} : { options }),
  ...(answer_key === undefined ? {} : { answer_key }),
});
const single = question('single_choice', 'B', ['A', 'B']);
const multiple = question('multiple_choice', ['A', 'C'], ['A', 'B', 'C']);
const trueFalse = question('true_false', false);
const fillIn = question('fill_in', ['Paris', '巴黎']);

describe('scoring a closed question', () => {
  it.each([
    ['the right option', single, 'B', '2.50'],
    ['another option', single, 'A', '0.00'],
    ['all right options in any order', multiple, ['C', 'A'], '2.50'],
    ['a right option given twice', multiple, ['C', 'A', 'A'], '2.50'],
    ['only some of the right options', multiple, ['A'], '0.00'],
    ['one option too many', multiple, ['A', 'B', 'C'], '0.00'],
    ['no option', multiple, [], '0.00'],
    ['false where false is right', trueFalse, false, '2.50'],
    ['true where false is right', trueFalse, true, '0.00'],
    ['an accepted text', fillIn, '巴黎', '2.50'],
    ['an accepted text in other case and with outer space', fillIn, ' PARIS\n', '2.50'],
    ['an accepted text with inner space', fillIn, 'Pa ris', '0.00'],
    ['a single accepted text', question('fill_in', 'x'), 'X', '2.50'],
    ['a decomposed accent', question('fill_in', 'é'), 'e\u0301', '2.50'],
  ])('%s', (_name, asked, answer, points) => {
    expect(answerProblems([asked], { q: answer })).toEqual([]);
    expect(scoreAnswers([asked], { q: answer })).toEqual({ points: { q: points }, score: points });
  });

  it('gives nothing for a question left out', () => {
    expect(scoreAnswers([single], {})).toEqual({ points: { q: '0.00' }, score: '0.00' });
  });
});

describe('the score of an attempt', () => {
  it('is the exact sum of points', () => {
    const questions = ['0.10', '0.20', '0.70'].map((points, index) => ({ ...single, id: `q${index}`, points }));
    expect(scoreAnswers(questions, { q0: 'B', q1: 'B', q2: 'A' }).score).toBe('0.30');
  });

  it.each([
    ['free text', question('free_text', 'model answer')],
    ['a closed question without a key', question('true_false')],
  ])('waits for a person when there is %s', (_name, open) => {
    const questions = [{ ...single, id: 'closed' }, open];
    expect(scoreAnswers(questions, { closed: 'B' })).toEqual({ points: { closed: '2.50' }, score: null });
  });

  it('waits for a person when there are no questions', () => {
    expect(scoreAnswers([], {})).toEqual({ points: {}, score: null });
  });
});

describe('an answer', () => {
  it.each([
    ['to no question of the practice', [single], { 'a/b': 'A' }, '/body/answers/a~1b'],
    ['that is not an option', [single], { q: 'Z' }, '/body/answers/q'],
    ['that is one option where several may be right', [multiple], { q: 'A' }, '/body/answers/q'],
    ['that holds no option', [multiple], { q: ['A', 'Z'] }, '/body/answers/q'],
    ['that is a text for true or false', [trueFalse], { q: 'true' }, '/body/answers/q'],
    ['that is no text', [fillIn], { q: true }, '/body/answers/q'],
  ])('%s is refused', (_name, questions, answers, path) => {
    expect(answerProblems(questions, answers).map((problem) => problem.path)).toEqual([path]);
  });
});
