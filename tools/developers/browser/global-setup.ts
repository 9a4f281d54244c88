import { buildConsole, needsConsole } from '../console/build.ts';

/** Stories look at the console as it is built now. */
export default async function setup(): Promise<void> {
  if (needsConsole()) await buildConsole();
}
