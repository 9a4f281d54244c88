import { operations as contracts, PROBLEM_MEMBERS, PROBLEMS, refusalsOf } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { exampleOf, isJson, type Json, pascal } from './json-schema.ts';
import { openApiDocument } from './openapi.ts';

const routes = Object.values(contracts).flatMap((call) => (call.http === null ? [] : [{ call, ...call.http }]));
const document = openApiDocument(contracts);

const at = (pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (it, key) => (isJson(it) ? it[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      document,
    );
/** The target of a reference, or the object itself. */
const resolved = (it: unknown): Json => {
  const found = isJson(it) && typeof it['$ref'] === 'string' ? at(it['$ref']) : it;
  return isJson(found) ? found : {};
};
/** Each object of the document, with its pointer. */
function* objects(it: unknown, path: string): Generator<[Json, string]> {
  if (Array.isArray(it)) for (const [n, one] of it.entries()) yield* objects(one, `${path}/${n}`);
  if (!isJson(it)) return;
  yield [it, path];
  for (const [key, one] of Object.entries(it)) if (key !== 'value') yield* objects(one, `${path}/${key}`);
}
const everything = [...objects(document, '#')];

const operations = routes.map(({ call, method, path }) => {
  const paths = resolved(document['paths']);
  return { call, operation: resolved(resolved(paths[path])[method.toLowerCase()]) };
});
const operationOf = (id: string): Json => operations.find(({ call }) => call.id === id)?.operation ?? {};
const contentOf = (holder: unknown): Json => resolved(resolved(resolved(holder)['content'])['application/json']);
const parametersOf = ({ parameters }: Json): Json[] => (Array.isArray(parameters) ? parameters.map(resolved) : []);
const schemas = resolved(resolved(document['components'])['schemas']);

it('names each operation by its operation id', () => {
  expect(operations.map(({ operation }) => operation['operationId'])).toEqual(Object.keys(contracts));
});

describe('References', () => {
  const refs = everything.flatMap(([{ $ref }]) => (typeof $ref === 'string' ? [$ref] : []));

  it('have an existing target', () => expect(refs.filter((ref) => at(ref) === undefined)).toEqual([]));

  it('use each component', () => {
    const used = new Set(refs);
    const kinds = Object.entries(resolved(document['components'])).filter(([kind]) => kind !== 'securitySchemes');
    const all = kinds.flatMap(([kind, it]) => Object.keys(resolved(it)).map((name) => `#/components/${kind}/${name}`));
    expect(all.filter((ref) => !used.has(ref))).toEqual([]);
  });
});

describe('Schemas', () => {
  it('have the names of their records', () => {
    for (const name of [
      'Clazz',
      'Lesson',
      'Enrolment',
      'Leave',
      'Package',
      'Course',
      'HourEntry',
      'ClazzPage',
      'Problem',
    ])
      expect(Object.keys(schemas)).toContain(name);
    // A number at the end means that the name was taken.
    const numbered = Object.keys(schemas).filter((name) => /\d$/.test(name));
    expect(numbered).toEqual([]);
  });

  it('have a name in each request and response', () => {
    const shown = operations.flatMap(({ call, operation }) => {
      const { requestBody, responses } = operation;
      return [requestBody, resolved(responses)[call.status]].map((it) => contentOf(it)['schema']);
    });
    expect(shown.filter((schema) => schema !== undefined && !('$ref' in resolved(schema)) && !isNamed(schema))).toEqual(
      [],
    );
  });
  const isNamed = (schema: unknown): boolean => isJson(schema) && '$ref' in schema;

  it('describe every property', () => {
    const properties = everything
      .filter(([, path]) => /^#\/components\/(schemas|headers|parameters)\//.test(path))
      .flatMap(([{ properties: own }, path]) =>
        isJson(own) ? Object.entries(own).map(([name, it]) => ({ name: `${path}.${name}`, it })) : [],
      );
    const missing = properties.filter(({ it }) => !isDescribed(it));
    expect(missing.map(({ name }) => name)).toEqual([]);
    expect(properties.length).toBeGreaterThan(1_000);
  });
  it.each([
    ['PutDakaRequest', 'content'],
    ['SubmitLianxiRequest', 'answers'],
    ['MarkSubmissionRequest', 'points'],
  ])('state the limits of free JSON: %s.%s', (schema, field) => {
    const { description } = resolved(at(`#/components/schemas/${schema}/properties/${field}`));
    expect(description).toContain('At most 64 levels, and 10,000 members and list entries in total');
  });

  const isDescribed = (it: unknown): boolean => isJson(it) && typeof it['description'] === 'string';

  it('describe every parameter', () => {
    const all = operations.flatMap(({ operation }) => parametersOf(operation));
    expect(all.filter(({ description }) => typeof description !== 'string').map(({ name }) => name)).toEqual([]);
  });

  /** All schemas that a request or response uses. */
  const reachable = (start: unknown, seen = new Set<unknown>()): Json[] => {
    const it = resolved(start);
    if (seen.has(it)) return [];
    seen.add(it);
    const inside = [...objects(it, '')].flatMap(([one]) => ('$ref' in one ? reachable(one, seen) : []));
    return [it, ...[...objects(it, '')].map(([one]) => one), ...inside];
  };
  const isRecord = (it: Json): boolean => isJson(it['properties']);

  it('of responses accept unknown fields', () => {
    const answers = operations.flatMap(({ operation }) => reachable(operation['responses']));
    expect(answers.filter((it) => it['additionalProperties'] === false)).toEqual([]);
  });

  it('of requests refuse unknown fields', () => {
    const open = operations.flatMap(({ call, operation }) =>
      reachable(contentOf(operation['requestBody'])['schema'])
        .filter((it) => isRecord(it) && it['additionalProperties'] !== false)
        .map(() => call.id),
    );
    expect(open).toEqual([]);
  });

  it('describe a filter by several values as a list separated by commas', () => {
    const status = parametersOf(operationOf('clazz.clazz.list')).find(({ name }) => name === 'status');
    expect(status).toMatchObject({
      schema: { type: 'array', items: { enum: ['draft', 'active', 'completed', 'cancelled'] } },
      style: 'form',
      explode: false,
    });
  });

  it('have integer types and the limits of decimals', () => {
    const path = 'GET /api/v1/clazz/course-package/version/diff/{id}';
    const numbers = Object.fromEntries(
      parametersOf(operationOf('package.version.diff')).map(({ name, schema }) => [name, schema]),
    );
    const version = { type: 'integer', minimum: 1, maximum: 1_000_000 };
    expect(numbers, path).toMatchObject({ from: version, to: version });
    const { schema } = contentOf(operationOf('clazz.hour.grant')['requestBody']);
    const { hours } = resolved(resolved(schema)['properties']);
    expect(resolved(hours)['anyOf']).toContainEqual({ type: 'number', minimum: 0.01, maximum: 10_000 });
    const texts = operations.flatMap(({ call, operation }) =>
      parametersOf(operation)
        .filter((one) => String(resolved(one['schema'])['pattern']).includes(String.raw`\d{1,9}`))
        .map(({ name }) => `${call.id} ${String(name)}`),
    );
    expect(texts).toEqual([]);
  });
});

describe('An operation', () => {
  it('requires a body only if the call does', () => {
    for (const { call, operation } of operations) {
      const { requestBody } = operation;
      if (requestBody === undefined) continue;
      const needs = !call.body.safeParse(undefined).success;
      expect(resolved(requestBody)['required'], call.id).toBe(needs);
    }
    expect(operationOf('clazz.clazz.complete')['requestBody']).toMatchObject({ required: false });
    expect(operationOf('clazz.clazz.activate')['requestBody']).toBeUndefined();
  });

  it('lists exactly the statuses of its error codes', () => {
    for (const { call, operation } of operations) {
      const statuses = Object.keys(resolved(operation['responses'])).filter((status) => Number(status) >= 400);
      const expected = [...new Set(refusalsOf(call).map((code) => String(PROBLEMS[code][0])))];
      expect(statuses.toSorted(), call.id).toEqual(expected.toSorted());
    }
    expect(Object.keys(resolved(operationOf('course.category.list')['responses']))).not.toContain('413');
  });

  it('has the members of each problem in its schema', () => {
    for (const [code, members] of Object.entries(PROBLEM_MEMBERS)) {
      const { allOf } = resolved(schemas[`${pascal(code)}Problem`]);
      const own = Array.isArray(allOf) ? resolved(allOf[1]) : {};
      expect(Object.keys(resolved(own['properties'])), code).toEqual(['status', 'code', ...Object.keys(members)]);
    }
  });

  it('has a tag of the document', () => {
    const { tags } = document;
    const names = Array.isArray(tags) ? tags.map((tag: unknown) => resolved(tag)['name']) : [];
    for (const { call, operation } of operations) {
      const [own] = Array.isArray(operation['tags']) ? operation['tags'] : [];
      expect(names, call.id).toContain(own);
    }
  });

  it('has the response of a second check-in on a day', () => {
    const responses = resolved(operationOf('course.daka.put')['responses']);
    expect(resolved(responses['200'])['content']).toEqual(resolved(responses['201'])['content']);
  });
});

describe('Examples', () => {
  const shown = operations.flatMap(({ call, operation }) => {
    const { requestBody, responses } = operation;
    const both = [contentOf(requestBody), contentOf(resolved(responses)[call.status])];
    return both.map(({ schema, examples }, index) => ({ call, index, schema, example: resolved(examples)['example'] }));
  });

  it('exist for at least 90 % of the bodies', () => {
    const bodies = shown.filter(({ schema }) => schema !== undefined);
    const without = bodies.filter(({ example }) => example === undefined).map(({ call }) => call.id);
    expect(without.length / bodies.length, without.join(', ')).toBeLessThan(0.1);
  });

  it('are accepted by the contract', () => {
    for (const { call, index, example } of shown) {
      if (example === undefined) continue;
      const type = index === 0 ? call.body : call.output;
      expect(type.safeParse(resolved(example)['value']).success, call.id).toBe(true);
    }
  });

  it('have a value for each kind of field', () => {
    const schema = {
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid' },
        hours: { type: 'string', pattern: '^-?\\d{1,9}(\\.\\d{1,2})?$' },
        starts_on: { type: 'string', format: 'date' },
        kind: { enum: ['gift', 'paid'] },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        limits: { type: 'array', items: { type: 'integer', minimum: 5 } },
      },
    };
    expect(exampleOf(schema)).toEqual({
      id: '01a1fa71-52b3-72d4-8d7e-2c1f5d3c9a10',
      hours: '1.50',
      starts_on: '2026-09-07',
      kind: 'gift',
      note: 'note',
      limits: [5],
    });
  });
});

describe('The access of guardians', () => {
  it('is described in each call that is about a child, and in no other', () => {
    const described = operations.filter(({ operation }) => String(operation['description']).includes('A guardian'));
    expect(described.map(({ call }) => call.id)).toEqual(
      operations.filter(({ call }) => call.child !== null).map(({ call }) => call.id),
    );
    expect(operationOf('clazz.lesson.my')['description']).toMatch(/STUDENT, GUARDIAN\..*without it 400/);
    expect(operationOf('clazz.leave.cancel')['description']).toMatch(/GUARDIAN\..*linked child that can access/);
    expect(operationOf('course.daka.put')['description']).not.toContain('GUARDIAN');
  });
});

describe('The access of roles', () => {
  it.each([
    ['clazz.clazz.complete', 'Roles: SUPERVISOR, TEACHER. TEACHER: classes that the caller leads.'],
    ['clazz.room.list', 'Roles: SUPERVISOR, TEACHER.'],
    [
      'course.group.get',
      'TEACHER, STUDENT, GUARDIAN: records that the caller owns, and records that are offered to the whole organization.',
    ],
    ['clazz.clazz.list', 'GUARDIAN. STUDENT: records about the caller. A guardian'],
    ['package.item.sync', 'Roles: SUPERVISOR.'],
    ['clazz.calendar.read_feed', 'Roles: anyone, without a token.'],
  ])('is described at %s', (id, text) => {
    expect(operationOf(id)['description']).toContain(text);
  });
});

describe('A call with a CSV response', () => {
  const exports = operations.filter(({ call }) => call.also === 'text/csv');

  it.each(exports.map(({ call }) => call.id))('has a parameter for a byte-order mark: %s', (id) => {
    const { parameters, responses } = operationOf(id);
    const all = Array.isArray(parameters) ? parameters.map(resolved) : [];
    const { description } = all.find(({ name }) => name === 'bom') ?? {};
    expect(description).toContain('byte-order mark');
    expect(JSON.stringify(resolved(resolved(responses)['200']))).toContain('RFC 4180');
  });
});

describe('Limits', () => {
  it('state the cost of a call and the maximum size of a body', () => {
    const costs = operations.map(({ call, operation }) => [call.id, operation['x-cost']]);
    expect(costs).toEqual(operations.map(({ call }) => [call.id, call.cost]));
    const overview = operationOf('stats.org_overview.get');
    expect([overview['x-cost'], overview['description']]).toEqual([
      10,
      expect.stringContaining('Counts as 10 requests.'),
    ]);
    expect(operationOf('clazz.audit.list_org')['description']).toContain(
      'With `Accept: text/csv` it counts as 50 requests.',
    );
    const bodies = operations.flatMap(({ call, operation }) =>
      operation['requestBody'] === undefined
        ? []
        : [[call.max_body, resolved(operation['requestBody'])['description']]],
    );
    expect(bodies.length).toBeGreaterThan(50);
    for (const [most, description] of bodies) expect(description).toBe(`At most ${Number(most) / 1_024} KiB`);
  });
});
