import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const place = mkdtempSync(join(tmpdir(), 'teaching-walls-'));
cpSync(join(ROOT, '.oxlintrc.json'), join(place, '.oxlintrc.json'));
symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** What the linter says of one file with these lines, placed where the walls apply. */
const lint = (file: string, line: string): string => {
  const path = join(place, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${line}\n`);
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), [file], { cwd: place, encoding: 'utf8' });
  rmSync(path);
  return stdout;
};

const forbidden: [file: string, from: string][] = [
  ['libs/contracts/src/a.ts', 'pg'],
  ['libs/contracts/src/a.ts', 'node:fs'],
  ['libs/contracts/src/a.ts', '../../kit/src/index.ts'],
  ['libs/kit/src/a.ts', 'fastify'],
  ['libs/kit/src/a.ts', '../../../services/package/src/app.ts'],
  ['libs/client/src/a.ts', '@teaching/kit'],
  ['services/gateway/src/a.ts', '@mikro-orm/postgresql'],
  ['services/gateway/src/a.ts', '@teaching/package'],
  ['services/gateway/src/a.ts', '../../package/src/app.ts'],
  ['services/clazz/src/a.ts', 'fastify'],
  ['services/clazz/src/a.ts', '../../course/src/app.ts'],
  ['services/course/src/a.ts', '../../clazz/src/app.ts'],
  ['services/package/src/a.ts', '@teaching/stats'],
  ['services/stats/src/a.ts', '../../clazz/src/app.ts'],
  ['services/stats/src/a.ts', '../../../tools/local/stack.ts'],
  ['services/package/src/a.rules.ts', '@mikro-orm/postgresql'],
  ['services/package/src/a.rules.ts', 'node:fs'],
  ['services/package/src/a.rules.ts', './package.entity.ts'],
];

it.each(forbidden)('%s may not import %s', (file, from) => {
  expect(lint(file, `import * as planted from '${from}';\nexport const it = planted;`)).toContain(
    'no-restricted-imports',
  );
});

it.each([
  ['libs/contracts/src/a.ts', 'zod'],
  ['libs/client/src/a.ts', '@teaching/contracts'],
  ['services/package/src/a.ts', '@teaching/kit'],
  ['services/package/src/a.rules.ts', '@teaching/contracts'],
])('%s may import %s', (file, from) => {
  expect(lint(file, `import * as planted from '${from}';\nexport const it = planted;`)).not.toContain('no-restricted');
});

it('a promise nobody waits for is found', () => {
  const path = join(place, 'services/package/src/b.ts');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    join(place, 'tsconfig.json'),
    '{"compilerOptions":{"strict":true,"module":"nodenext"},"include":["services"]}',
  );
  writeFileSync(
    path,
    'const work = async (): Promise<void> => {};\nexport const begin = (): void => {\n  work();\n};\n',
  );
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['--type-aware', 'services'], {
    cwd: place,
    encoding: 'utf8',
  });
  expect(stdout).toContain('no-floating-promises');
});
