import { buildConsole, needsConsole } from '../console/build.ts';

/** Builds the console, because browser tests use the current build. */
export default async function setup(): Promise<void> {
  if (needsConsole()) await buildConsole();
}
