import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ASKERS } from '../libs/contracts/src/index.ts';
import { DEPLOY, readLogins, writeLogins } from './broker/files.ts';
import { changed, type Login, loginOf } from './broker/login.ts';
import { newKey } from './broker/reader-account.ts';

const USAGE = `Usage: npm run -s logins -- add <user>
       npm run -s logins -- remove <user> <public key>
       npm run -s logins -- password <user> on|off
       npm run -s logins -- list

How the users of the broker log in (${ASKERS.join(', ')}): by a password, by keys, or both. "add" makes a key and
prints its seed, once: it is for the user's NATS_NKEY_SEED. A user may have several keys while one is exchanged
(docs/secrets.md).

  --folder   where nats.conf, users.conf and logins.json lie (deploy)

The broker has to read its configuration again afterwards (SIGHUP, or nats-server --signal reload): whoever lost a login
is cut off then.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: 'string', default: DEPLOY }, help: { type: 'boolean', default: false } },
});

const save = (one: Login): void => {
  writeLogins(values.folder, changed(readLogins(values.folder), one));
  console.error(`written: ${values.folder}; the broker has to read it again`);
};

const add = (login: Login): void => {
  const { nkey, seed } = newKey();
  save({ ...login, nkeys: [...login.nkeys, nkey] });
  console.log(seed);
};

const remove = (login: Login, nkey: string): void => {
  if (!login.nkeys.includes(nkey)) throw new Error(`${login.user} has no such key`);
  save({ ...login, nkeys: login.nkeys.filter((one) => one !== nkey) });
};

const list = (): void => {
  const logins = readLogins(values.folder);
  for (const { user, nkeys, password } of ASKERS.map((one) => loginOf(one, logins)))
    console.log([user, ...(password ? ['password'] : []), ...nkeys].join('  '));
};

const main = (): void => {
  const [act, user, word = ''] = positionals;
  if (values.help) return console.log(USAGE);
  if (act === 'list') return list();
  const login = loginOf(
    z.enum(ASKERS, `The user is one of ${ASKERS.join(', ')}`).parse(user),
    readLogins(values.folder),
  );
  if (act === 'add') return add(login);
  if (act === 'remove') return remove(login, word);
  if (act === 'password' && ['on', 'off'].includes(word)) return save({ ...login, password: word === 'on' });
  console.error(USAGE);
  process.exitCode = 2;
};

try {
  main();
} catch (error) {
  console.error(error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
