import { expect, it } from 'vitest';
import { redactedMessage, redactValues } from './redact-values.ts';

const ofState = (code: string, message: string): Error => Object.assign(new Error(message), { code });

it.each([
  ['22P02', 'invalid input syntax for type uuid: "Ann "the" Lee"', 'invalid input syntax for type uuid: …'],
  ['22003', 'value "7777777777" is out of range for type integer', 'value … is out of range for type integer'],
  ['42P01', 'relation "lesson" does not exist', 'relation "lesson" does not exist'],
])('keeps the message of an error with SQLSTATE %s, without its values', (code, message, plain) => {
  expect(redactedMessage(ofState(code, message))).toBe(plain);
});

it('removes the text that a parser could not read', () => {
  const read = (text: string): Error => {
    try {
      return JSON.parse(text) as Error;
    } catch (error) {
      return error instanceof Error ? error : new Error('no error');
    }
  };
  for (const text of ['{"name": Ann}', 'Ann', '{"name": "Ann', "'Ann'"])
    expect(redactedMessage(read(text))).not.toContain('Ann');
});

it('removes the values of causes that a stack quotes', () => {
  const error = new Error('not applied', { cause: ofState('22008', 'date out of range: "Ann"') });
  expect(redactValues('Error: not applied\n at x\ncaused by: date out of range: "Ann"', error)).toBe(
    'Error: not applied\n at x\ncaused by: date out of range: …',
  );
});
