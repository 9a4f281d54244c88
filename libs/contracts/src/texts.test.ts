import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memberCalls } from './clazz/member.calls.ts';
import { allCalls } from './registry.ts';
import { identifier, PersonId, PersonIdInput, prose, text } from './scalars.ts';
import { isObject, partsOf } from './schema-parts.ts';

const isString = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodString ||
  schema instanceof z.ZodStringFormat ||
  (schema instanceof z.ZodPipe && isString(schema.in));

/** Each schema of a request that accepts texts, with its path. JSON whose form the client chooses counts as one. */
function* textsOf(schema: z.ZodType, path: string): Generator<[string, z.ZodType]> {
  if (isString(schema) || schema instanceof z.ZodPreprocess) yield [path, schema];
  else if (isObject(schema)) {
    for (const [name, part] of Object.entries(schema.shape)) {
      if (part instanceof z.ZodType) yield* textsOf(part, `${path}.${name}`);
    }
  } else for (const part of partsOf(schema, 'input')) yield* textsOf(part, path);
}

const texts = allCalls
  .filter(({ http }) => http !== null)
  .flatMap(({ id, path, query, body }) => [path, query, body].flatMap((part) => [...textsOf(part, id)]));

/** The forms in which a text may be part of JSON. */
const formsOf = (value: string): readonly unknown[] => [
  value,
  [value],
  { a: value },
  { a: [value] },
  { a: { b: value } },
  { [value]: 1 },
  { [value]: 'a' },
  { a: { [value]: 1 } },
];
const accepts = (schema: z.ZodType, value: string): boolean =>
  formsOf(value).some((form) => schema.safeParse(form).success);

const CONTROLS = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, n) => 0x7f + n),
]
  .map((code) => String.fromCodePoint(code))
  .filter((one) => one !== '\t' && one !== '\n');

/** Texts that are compared only, never stored, and the reason. */
const OPAQUE = [
  // Signed by the system.
  /\.cursor$/,
  // Hashed before it is compared.
  /^clazz\.calendar\.read_feed\.secret$/,
  // The handler refuses names that are not questions of the exercise.
  /^course\.piyue\.mark\.points$/,
];
/** Ids stay as they are given. */
const IDENTIFIER = /(_ids?|\.with|^clazz\.refusal\.list\.reason)$/;

describe('Every text of a request', () => {
  it('refuses control characters other than tab and line break', () => {
    const open = texts.filter(([, schema]) =>
      ['\0', '\u0007', '\u000b', '\r', '\u007f', '\u0085', '\u009f'].some((one) =>
        [`a${one}b`, `${one}a`, `a${one}`].some((value) => accepts(schema, value)),
      ),
    );
    expect(open.map(([path]) => path).filter((path) => !OPAQUE.some((known) => known.test(path)))).toEqual([]);
  });

  it('is in NFC afterwards, unless it is an identifier', () => {
    const changed = texts.filter(([path, schema]) =>
      formsOf('e\u0301').some((form) => {
        const json = JSON.stringify(schema.safeParse(form).data ?? '');
        return !IDENTIFIER.test(path) && json !== json.normalize();
      }),
    );
    expect(changed.map(([path]) => path).filter((path) => !OPAQUE.some((known) => known.test(path)))).toEqual([]);
  });

  it('is found', () => expect(texts.length).toBeGreaterThan(300));
});

describe('A text', () => {
  const kinds = { text: text(20), prose: prose(20), identifier: identifier(20) };

  it.each(Object.entries(kinds))('of the kind %s refuses each control character at each place', (_name, schema) => {
    const accepted = CONTROLS.filter((one) =>
      [`a${one}b`, `${one}a`, `a${one}`].some((value) => schema.safeParse(value).success),
    );
    expect(accepted).toEqual([]);
    expect(CONTROLS).toHaveLength(63);
    expect(schema.safeParse('a\ud800').success).toBe(false);
  });

  it.each(Object.entries(kinds))('of the kind %s accepts tabs and line breaks', (_name, schema) => {
    expect(schema.parse('a\tb\nc\r\nd')).toBe('a\tb\nc\r\nd');
  });

  it('is measured and stored in NFC, but an identifier is not', () => {
    const decomposed = 'e\u0301'.repeat(20);
    expect([text(20).parse(decomposed), prose(20).parse(decomposed)]).toEqual(['é'.repeat(20), 'é'.repeat(20)]);
    expect(identifier(40).parse(decomposed)).toBe(decomposed);
    expect(PersonIdInput.parse('e\u0301')).toBe('e\u0301');
    expect(memberCalls.updateMember.body.parse({ external_id: ' e\u0301 ' })).toEqual({ external_id: 'e\u0301' });
  });

  it.each([
    '',
    ' \u3000\t\n',
    '\u200b\u200d\ufeff',
    '\u2060\u00ad\u180e',
    '\u202e',
    '\u0301',
    '\ufe0f',
    '\u2800',
    '\u3164\u115f\uffa0',
    '\u{e0001}',
    '\u0378',
    '\u2028',
  ])('is refused as empty without a visible character: %j', (value) => {
    for (const schema of [text(20), identifier(20)]) {
      expect(schema.safeParse(value).error?.issues.map(({ code }) => code)).toEqual(['too_small']);
    }
    expect(prose(20).safeParse(value).success).toBe(true);
  });

  it.each(['a', '.', '中', '😀', '👩‍👧', 'ا', '1', '€', 'कि', '\ue000'])(
    'is accepted with a visible character: %s',
    (value) => {
      expect(text(20).parse(`\u3000${value} `)).toBe(value);
    },
  );
});

describe('The id of a person', () => {
  it.each(['.', '..'])('in a request is never %j, which browsers resolve in paths; records may contain it', (id) => {
    const people = texts.filter(([path, schema]) => /(_ids?|\.with)$/.test(path) && accepts(schema, 'ann'));
    expect(people.filter(([, schema]) => accepts(schema, id)).map(([path]) => path)).toEqual([
      'clazz.member.put_bulk.members.external_id',
      'clazz.member.update.external_id',
      'clazz.audit.list_org.entity_id',
    ]);
    expect(people.length).toBeGreaterThan(60);
    expect(PersonId.parse(id)).toBe(id);
  });

  it.each(['...', '.a', 'a.', '..a', 'a..b', '%2e'])('may be %j', (id) => expect(PersonIdInput.parse(id)).toBe(id));
});
