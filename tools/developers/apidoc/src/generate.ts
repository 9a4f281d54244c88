import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTS, { astToString } from 'openapi-typescript';

/** The types that openapi-typescript makes of a document. */
export const typesOf = async (document: string): Promise<string> => astToString(await openapiTS(document));

/** Writes the client that @hey-api/openapi-ts makes of a document. */
export const writeClient = async (document: object, folder: string): Promise<void> => {
  await createClient({ input: { ...document }, output: folder, logs: { level: 'silent' } });
};

/** The compiler of this checkout; generators bring an older one that they are built on. */
const CHECKOUT = new URL('../../../../package.json', import.meta.url);

/** Errors of the compiler in a file and its imports, under its strictest rules. */
export const compileFindings = (file: string, folder: string): string => {
  const tsc = join(createRequire(CHECKOUT).resolve('typescript/package.json'), '../bin/tsc');
  const options = [
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
    '--skipLibCheck',
    'false',
    '--target',
    'es2024',
  ];
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2024,dom,dom.iterable'];
  try {
    return execFileSync(process.execPath, [tsc, ...options, ...modules, file], { cwd: folder, encoding: 'utf8' });
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
};
