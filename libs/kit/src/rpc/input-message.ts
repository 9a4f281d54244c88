import type { z } from 'zod';

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  guid: 'a UUID',
  uuid: 'a UUID',
  datetime: 'an instant (RFC 3339)',
  date: 'a date (YYYY-MM-DD)',
  url: 'a URL',
};

const counted = (count: number | bigint, origin: string): string => {
  if (origin === 'string') return `${count} character${count === 1 ? '' : 's'}`;
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
};

const isMeasured = (origin: string): boolean => origin === 'string' || origin === 'array';

/**
 * The message of an issue that the schema gives none for, as the rest of a sentence about the field. Undefined: zod's
 * own message.
 */
export const inputMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type': {
      const name = TYPE_NAMES[issue.expected];
      if (issue.input === undefined) return 'is required';
      return name === undefined ? undefined : `must be ${name}`;
    }
    case 'too_small':
      if (!isMeasured(issue.origin))
        return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${counted(issue.minimum, issue.origin)}`;
    case 'too_big':
      if (!isMeasured(issue.origin))
        return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
      return `must have at most ${counted(issue.maximum, issue.origin)}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_format': {
      const name = FORMAT_NAMES[issue.format];
      return name === undefined ? undefined : `must be ${name}`;
    }
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return undefined;
  }
};
