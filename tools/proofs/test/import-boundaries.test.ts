import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, parse, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LAYERS } from '../../developers/lint/layers.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const place = mkdtempSync(join(tmpdir(), 'teaching-walls-'));
for (const part of ['oxlint.config.ts', 'tools/developers/lint', 'package.json'])
  cpSync(join(ROOT, part), join(place, part), { recursive: true });
symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const oxlint = (...args: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'node_modules/oxlint/bin/oxlint'), ...args], {
    cwd: place,
    encoding: 'utf8',
  });

const Found = z.looseObject({
  diagnostics: z.array(z.looseObject({ code: z.string(), filename: z.string() })),
});

/** What is planted: a line in a file, where the walls apply. */
type Planted = readonly [file: string, line: string];

/** The planted files of which the linter says that they import what they may not: all of them, by one run. */
const refusedOf = (planted: readonly Planted[]): string[] => {
  const files = planted.map(([file, line], index) => {
    const { dir, name, ext } = parse(file);
    const path = `${dir}/${name.replace('a', `a${index}`)}${ext}`;
    mkdirSync(join(place, dir), { recursive: true });
    writeFileSync(join(place, path), `${line}\n`);
    return path;
  });
  const { stdout } = oxlint('--format=json', ...files);
  for (const file of files) rmSync(join(place, file));
  const { diagnostics } = Found.parse(JSON.parse(stdout));
  const refused = new Set(
    diagnostics.filter(({ code }) => code.includes('no-restricted-imports')).map(({ filename }) => filename),
  );
  return planted.filter((_, index) => refused.has(files[index] ?? '')).map(([file, line]) => `${file}: ${line}`);
};
const shown = ([file, line]: Planted): string => `${file}: ${line}`;
const importing = ([file, from]: readonly [string, string]): Planted => [
  file,
  `import * as planted from '${from}'; export const it = planted;`,
];

const forbidden: [file: string, from: string][] = [
  ['apps/console/src/a.ts', '@teaching/client'],
  ['apps/console/src/a.ts', 'zod'],
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
  ['services/stats/src/a.ts', '@teaching/local/stack.ts'],
  ['services/package/src/a.rules.ts', '@mikro-orm/postgresql'],
  ['services/package/src/a.rules.ts', 'node:fs'],
  ['services/package/src/a.rules.ts', './package.table.ts'],
  // Rooms lie downward, whatever kind of file.
  ['services/package/src/package/a.ts', '../version/publish-package.ts'],
  ['services/package/src/package/a.rules.ts', '../version/publish-package.ts'],
  ['services/package/src/package/a.rules.ts', 'node:fs'],
  ['services/package/src/package/a.ts', '@teaching/stats'],
];

const allowed: [file: string, from: string][] = [
  ['libs/contracts/src/a.ts', 'zod'],
  ['libs/client/src/a.ts', '@teaching/contracts'],
  ['services/package/src/a.ts', '@teaching/kit'],
  ['services/package/src/a.rules.ts', '@teaching/contracts'],
  ['services/package/src/version/a.ts', '../package/load-package.ts'],
];

it('no package imports what it may not', () => {
  const planted = forbidden.map(importing);
  expect(refusedOf([...planted, ...allowed.map(importing)])).toEqual(planted.map(shown));
});

describe.each(Object.entries(LAYERS))('the rooms of %s', (folder, levels) => {
  it('are all of its folders', () => {
    const folders = readdirSync(join(ROOT, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(levels.flat().toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
  });

  it('do not import what lies above', () => {
    const [above = [], below = []] = [levels[0], levels.at(-1)];
    const planted = below.flatMap((lower) =>
      above.map((upper): Planted => [`${folder}/${lower}/a.ts`, `export * from '../${upper}/b.ts';`]),
    );
    expect(refusedOf(planted)).toEqual(planted.map(shown));
  });
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
  const { stdout } = oxlint('--type-aware', 'services');
  expect(stdout).toContain('no-floating-promises');
});
