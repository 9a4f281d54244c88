import { parseArgs } from 'node:util';

/** The one path that a tool may be given. Asked for help it says its usage and ends; with anything else it ends with 2. */
export const singlePath = (usage: string): string | undefined => {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean' } } });
    const [path, ...more] = positionals;
    if (more.length > 0) throw new Error('There is one path at most');
    if (values.help !== true) return path;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exit(2);
  }
};
