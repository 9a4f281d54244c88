import { parseArgs } from 'node:util';

/** The single path argument of a tool. Prints the usage on request and ends; ends with 2 for other arguments. */
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
