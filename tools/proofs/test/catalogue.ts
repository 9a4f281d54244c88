import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import type { declaredLists } from '../../../libs/kit/src/db/keyset-list.ts';
import type { Statement } from '../../../libs/kit/src/db/statement.ts';
import type { Table } from '../../../libs/kit/src/db/table.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Declarations {
  statements: Statement[];
  tables: readonly Table[];
  lists: ReturnType<typeof declaredLists>;
}

/** Loads all modules of these folders and returns the statements, tables and lists that they declare. */
export const loadDeclarations = async (...folders: string[]): Promise<Declarations> => {
  vi.resetModules();
  const files = globSync(
    folders.map((folder) => `${folder}/src/**/*.ts`),
    { cwd: ROOT },
  );
  for (const file of files) if (!/\.test\.ts$|main\.ts$/.test(file)) await import(`${ROOT}${file}`);
  const { declaredLists } = await import('../../../libs/kit/src/db/keyset-list.ts');
  const { declaredStatements } = await import('../../../libs/kit/src/db/statement.ts');
  const { declaredTables } = await import('../../../libs/kit/src/db/table.ts');
  return { statements: declaredStatements(), tables: declaredTables(), lists: declaredLists() };
};
