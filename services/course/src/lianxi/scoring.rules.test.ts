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
/** An exercise of a version that stored texts in any form of Unicode. */
const older = question('multiple_choice', ['e\u0301'], ['e\u0301', 'e']);
const trueFalse = question('true_false', false);
const fillIn = question('fill_in', ['Paris', '巴黎']);

describe('The points of a closed question', () => {
  it.each([
    ['are full for the right option', single, 'B', '2.50'],
    ['are 0 for a wrong option', single, 'A', '0.00'],
    ['are full for all right options in any order', multiple, ['C', 'A'], '2.50'],
    ['are full with a right option given twice', multiple, ['C', 'A', 'A'], '2.50'],
    ['are 0 for only some of the right options', multiple, ['A'], '0.00'],
    ['are 0 with one wrong option too many', multiple, ['A', 'B', 'C'], '0.00'],
    ['are 0 for no option', multiple, [], '0.00'],
    ['are full for an option that an older exercise has in decomposed form', older, ['é'], '2.50'],
    ['are full for false where false is right', trueFalse, false, '2.50'],
    ['are 0 for true where false is right', trueFalse, true, '0.00'],
    ['are full for an accepted text', fillIn, '巴黎', '2.50'],
    ['are full for an accepted text in other case and with outer space', fillIn, ' PARIS\n', '2.50'],
    ['are 0 for an accepted text with inner space', fillIn, 'Pa ris', '0.00'],
    ['are full for the only accepted text', question('fill_in', 'x'), 'X', '2.50'],
    ['are full for an accent in decomposed form', question('fill_in', 'é'), 'e\u0301', '2.50'],
  ])('%s', (_name, scored, answer, points) => {
    expect(answerProblems([scored], { q: answer })).toEqual([]);
    expect(scoreAnswers([scored], { q: answer })).toEqual({ points: { q: points }, score: points });
  });

  it('are 0 for an unanswered question', () => {
    expect(scoreAnswers([single], {})).toEqual({ points: { q: '0.00' }, score: '0.00' });
  });
});

describe('The score of an attempt', () => {
  it('is the exact sum of its points', () => {
    const questions = ['0.10', '0.20', '0.70'].map((points, index) => ({ ...single, id: `q${index}`, points }));
    expect(scoreAnswers(questions, { q0: 'B', q1: 'B', q2: 'A' }).score).toBe('0.30');
  });

  it.each([
    ['free text', question('free_text', 'model answer')],
    ['a closed question without a key', question('true_false')],
  ])('is null until a person marks %s', (_name, open) => {
    const questions = [{ ...single, id: 'closed' }, open];
    expect(scoreAnswers(questions, { closed: 'B' })).toEqual({ points: { closed: '2.50' }, score: null });
  });

  it('is null for an exercise without questions', () => {
    expect(scoreAnswers([], {})).toEqual({ points: {}, score: null });
  });
});

describe('Checking the answers of an attempt', () => {
  it.each([
    ['an answer to an unknown question', [single], { 'a/b': 'A' }, '/body/answers/a~1b'],
    ['a single choice that is not an option', [single], { q: 'Z' }, '/body/answers/q'],
    ['a text for a multiple choice', [multiple], { q: 'A' }, '/body/answers/q'],
    ['a multiple choice that contains an unknown option', [multiple], { q: ['A', 'Z'] }, '/body/answers/q'],
    ['a text for true or false', [trueFalse], { q: 'true' }, '/body/answers/q'],
    ['a boolean for a fill-in', [fillIn], { q: true }, '/body/answers/q'],
  ])('refuses %s', (_name, questions, answers, path) => {
    expect(answerProblems(questions, answers).map((problem) => problem.path)).toEqual([path]);
  });
});
