import { buildConsole, needsConsole } from './console/build.ts';

if (needsConsole()) await buildConsole({ visible: true });
else console.log('Nothing changed since the console was built.');
