import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HEAP } from '@teaching/local/service-process.ts';
import { expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const all = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, found = '']) => found)),
];

const dockerfile = read('Dockerfile');
const copied = all(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((files) => files.split(' '));
const copiedPackages = all(dockerfile, /^COPY (\S+)\/package\.json /gm);

/** Whether the Docker build context includes a file. The last matching line of .dockerignore decides. */
const isInContext = (file: string): boolean =>
  read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .reduce((isIn, line) => {
      const pattern = line.replace(/^!/, '');
      const fits = pattern === '*' || matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`);
      return fits ? line.startsWith('!') : isIn;
    }, true);

const isInImage = (file: string): boolean =>
  isInContext(file) && copied.some((one) => file === one || file.startsWith(`${one}/`));
const sources = globSync('{libs,services,tools}/**/*.ts', {
  cwd: ROOT,
  exclude: (path) => path.includes('node_modules'),
}).filter(isInImage);

const Package = z.object({ name: z.string(), dependencies: z.record(z.string(), z.string()).default({}) });
const packageOf = (folder: string) => Package.parse(JSON.parse(read(join(folder, 'package.json'))));
const installed = [...copiedPackages, '.'].map(packageOf);
const packages = new Set(installed.flatMap(({ name, dependencies }) => [name, ...Object.keys(dependencies)]));

/** Modules that a file imports at run time, without type imports. */
const importsOf = (file: string): string[] => {
  const text = read(file);
  return [
    ...all(text, /^(?:import|export) (?!type )[^'`"]*?from '([^']+)'/gm),
    ...all(text, /^import '([^']+)'/gm),
    ...all(text, /\bimport\('([^']+)'\)/g),
  ].filter((name) => !name.startsWith('node:'));
};
const packageNamed = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

it('contains the services and the tools of an operator, and no tests', () => {
  expect(sources).toEqual(expect.arrayContaining(['services/stats/src/main.ts', 'tools/cli.ts', 'tools/migrate.ts']));
  expect(sources.filter((file) => /\.test\.ts$|\/(test|faults|bench)\//.test(file))).toEqual([]);
});

it('gives every process the same heap sizes as npm start', () => {
  const { scripts } = z.object({ scripts: z.object({ start: z.string() }) }).parse(JSON.parse(read('package.json')));
  const [young = '', old = ''] = HEAP;
  for (const text of [scripts.start, dockerfile]) expect(text).toContain(young);
  expect(scripts.start).toContain(old);
  expect(read('libs/kit/src/ops/program.ts')).toContain('setFlagsFromString(OLD_SPACE_FLAG)');
});

it('contains no part of the demo school and its login', () => {
  const files = /^tools\/developers\/(school|local\/src\/(demo-school|login|provider-for-tests))/;
  expect(sources.filter((file) => files.test(file))).toEqual([]);
  expect([...packages]).not.toContain('oidc-provider');
});

it('contains every file and package that its sources import, and no developer tools', () => {
  const missing = sources.flatMap((file) =>
    importsOf(file)
      .filter((name) => (name.startsWith('.') ? !isInImage(join(file, '..', name)) : !packages.has(packageNamed(name))))
      .map((name) => `${file}: ${name}`),
  );
  expect(missing).toEqual([]);
});

it('copies the package.json of every workspace that runs in it', () => {
  const lock = z
    .object({ packages: z.record(z.string(), z.object({ name: z.string().optional() })) })
    .parse(JSON.parse(read('package-lock.json')));
  const workspaces = Object.keys(lock.packages).filter((folder) =>
    /^(apps|libs|services|tools\/developers)\/\w+$/.test(folder),
  );
  expect(copiedPackages.toSorted()).toEqual(
    workspaces.filter((folder) => folder !== 'tools/developers/apidoc').toSorted(),
  );
});

it('has a build context with every file that it copies', () => {
  expect(copied.filter((file) => !isInContext(file) && !sources.some((one) => one.startsWith(`${file}/`)))).toEqual([]);
});

it('is built from a pinned version, runs under a numeric user id and has version labels', () => {
  const { node } = Package.parse(JSON.parse(read('package.json'))).dependencies;
  expect(dockerfile).toContain(`ARG NODE_IMAGE=node:${node}-`);
  expect(all(dockerfile, /^FROM (\S+)/gm)).toEqual(['${NODE_IMAGE}']);
  expect(dockerfile).toMatch(/^USER 1000:1000$/m);
  for (const label of ['version', 'revision', 'source', 'licenses'])
    expect(dockerfile).toContain(`org.opencontainers.image.${label}=`);
});
