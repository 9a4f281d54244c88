import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, parse, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LAYERS } from '../../developers/lint/layers.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'teaching-boundaries-'));
for (const part of ['oxlint.config.ts', 'tools/developers/lint', 'package.json'])
  cpSync(join(ROOT, part), join(folder, part), { recursive: true });
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const oxlint = (...args: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'node_modules/oxlint/bin/oxlint'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });

const Found = z.looseObject({
  diagnostics: z.array(z.looseObject({ code: z.string(), filename: z.string() })),
});

/** A line that a test writes into a file to check the import rules. */
type Planted = readonly [file: string, line: string];

/** The planted lines whose import the linter refuses, in one run of the linter. */
const refusedOf = (planted: readonly Planted[]): string[] => {
  const files = planted.map(([file, line], index) => {
    const { dir, name, ext } = parse(file);
    const path = `${dir}/${name.replace('a', `a${index}`)}${ext}`;
    mkdirSync(join(folder, dir), { recursive: true });
    writeFileSync(join(folder, path), `${line}\n`);
    return path;
  });
  const { stdout } = oxlint('--format=json', ...files);
  for (const file of files) rmSync(join(folder, file));
  const { diagnostics } = Found.parse(JSON.parse(stdout));
  const refused = new Set(
    diagnostics.filter(({ code }) => code.includes('no-restricted-imports')).map(({ filename }) => filename),
  );
  return planted.filter((_, index) => refused.has(files[index] ?? '')).map(([file, line]) => `${file}: ${line}`);
};
const describeLine = ([file, line]: Planted): string => `${file}: ${line}`;
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
  // Layers import only downward, in every kind of file.
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

it('finds every forbidden import between packages', () => {
  const planted = forbidden.map(importing);
  expect(refusedOf([...planted, ...allowed.map(importing)])).toEqual(planted.map(describeLine));
});

describe.each(Object.entries(LAYERS))('The layers of %s', (folder, levels) => {
  it('include all folders', () => {
    const folders = readdirSync(join(ROOT, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(levels.flat().toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
  });

  it('do not import from higher layers', () => {
    const [above = [], below = []] = [levels[0], levels.at(-1)];
    const planted = below.flatMap((lower) =>
      above.map((upper): Planted => [`${folder}/${lower}/a.ts`, `export * from '../${upper}/b.ts';`]),
    );
    expect(refusedOf(planted)).toEqual(planted.map(describeLine));
  });
});

it('finds a promise that is not awaited', () => {
  const path = join(folder, 'services/package/src/b.ts');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    join(folder, 'tsconfig.json'),
    '{"compilerOptions":{"strict":true,"module":"nodenext"},"include":["services"]}',
  );
  writeFileSync(
    path,
    'const work = async (): Promise<void> => {};\nexport const begin = (): void => {\n  work();\n};\n',
  );
  const { stdout } = oxlint('--type-aware', 'services');
  expect(stdout).toContain('no-floating-promises');
});
