import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { STOP_MS } from '@teaching/kit';
import { serviceConfig } from '../../../libs/kit/src/ops/config.ts';
import { isSecret } from '../../../libs/kit/src/ops/secret-variable.ts';
import { migrateConfig } from '../../operators/migrate/config.ts';
import { gatewayConfig } from '../../../services/gateway/src/config.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const names = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
];

const compose = read('docker-compose.yml');
const backup = read('deploy/backup/compose.yml');
const required = names(compose + backup, /\$\{(\w+):?\?\}/g);
const fromFiles = read('deploy/compose.secrets.yml');

it('uses only variables that the example file lists', () => {
  // Compose takes a variable without a value from the environment.
  const used = [
    'COMPOSE_FILE',
    'COMPOSE_PROFILES',
    ...new Set([...names(compose + fromFiles + backup, /\$\{(\w+)/g), ...names(compose, /^ +([A-Z][A-Z_]+):$/gm)]),
  ];
  expect(names(read('deploy/compose.env.example'), /^#?(\w+)=/gm).toSorted()).toEqual(used.toSorted());
});

it('gives the broker every password that its configuration references', () => {
  const wanted = names(read('deploy/nats/users.conf'), /password: \$(\w+)/g);
  expect(wanted.length).toBeGreaterThan(0);
  for (const name of wanted) expect(compose).toContain(`${name}: \${${name}:?}`);
});

it('starts with the variables that compose-env.ts prints', { timeout: 15_000 }, () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'teaching-compose-'));
  try {
    const env = { ...process.env, DATA_DIR };
    const run = (...args: string[]): string =>
      execFileSync(process.execPath, [join(ROOT, 'tools/compose-env.ts'), ...args], { env, encoding: 'utf8' });
    const printed = run();
    expect(names(printed, /^(\w+)=[^\s]+$/gm)).toEqual(expect.arrayContaining(required));
    // A second run prints the same values, and only the owner can read the file.
    const file = join(DATA_DIR, 'compose.env');
    run(file);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([printed, 0o600]);
  } finally {
    rmSync(DATA_DIR, { recursive: true });
  }
});

it.each(['compose-env.ts', 'secret-files.ts'])('%s refuses options and a second path', { timeout: 15_000 }, (tool) => {
  const cwd = mkdtempSync(join(tmpdir(), 'teaching-path-'));
  try {
    const env = { ...process.env, DATA_DIR: cwd };
    const run = (...args: string[]) => spawnSync(process.execPath, [join(ROOT, 'tools', tool), ...args], { cwd, env });
    expect(String(run('--help').stdout)).toContain('npm run -s');
    expect([run('--quiet').status, run('one', 'two').status]).toEqual([2, 2]);
    expect(readdirSync(cwd)).toEqual([]);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

it('reads the backup password from a file in every container that has it', () => {
  const own = read('deploy/backup/compose.secrets.yml');
  const byValue = names(backup, /^ +(\w+): \$\{BACKUP_PASSWORD/gm);
  expect(names(own, /(\w+): ''/g)).toEqual(byValue);
  expect(names(own, /(\w+)_FILE: \/run\/secrets\/backup$/gm)).toEqual(byValue);
});

it('reads the secret of the login provider from a file when the console uses secret files', () => {
  const own = read('deploy/console/compose.secrets.yml');
  expect(names(compose, /^ +(OIDC_CLIENT_SECRET):/gm)).toEqual(names(own, /(\w+): ''/g));
  const [secret = ''] = names(own, /OIDC_CLIENT_SECRET_FILE: \/run\/secrets\/(\w+)$/gm);
  expect(names(own, /^ +(\w+): \{ file: '\$\{SECRETS:-\.\/secrets\}\/\1' \}$/gm)).toEqual([secret]);
  expect(names(own, /secrets: \[(\w+)\]/g)).toEqual([secret]);
});

it('reads every secret from a file in compose.secrets.yml', () => {
  const secrets = [serviceConfig.shape, gatewayConfig.shape, migrateConfig.shape].flatMap((shape) =>
    Object.entries(shape).flatMap(([name, field]) => (isSecret(field) ? [name] : [])),
  );
  const [fileSecrets, emptied] = [names(fromFiles, /(\w+?)_{1,2}FILE: /g), names(fromFiles, /(\w+): ''/g)];
  const count = (text: RegExp): number => fromFiles.match(text)?.length ?? 0;
  const ofOtherImages = ['POSTGRES_PASSWORD', 'GF_SECURITY_ADMIN_PASSWORD'];
  expect(fileSecrets.filter((name) => !secrets.includes(name))).toEqual(ofOtherImages);
  // A variable with a value in docker-compose.yml must be emptied here, because value and file together are an error.
  const byValue = names(compose, /^ +(\w+): \$\{\w+:?\?\}$/gm).filter(
    (name) => !/^(NATS_(?!ADMIN|PASSWORD)|JWT)/.test(name),
  );
  expect(emptied.toSorted()).toEqual(byValue.toSorted());
  for (const name of emptied)
    expect(count(RegExp(` ${name}: ''`, 'g')), name).toBe(count(RegExp(` ${name}_{1,2}FILE: `, 'g')));
  expect(fileSecrets).toEqual(expect.arrayContaining(byValue));
  const [mounted, defined] = [
    names(fromFiles, /_FILE: \/run\/secrets\/(\w+)/g),
    names(fromFiles, /^ {2}(\w+): \{ file/gm),
  ];
  expect(mounted.toSorted()).toEqual(defined.toSorted());
});

it('gives processes more time to stop than they need, including the drain of the gateway', () => {
  const [grace] = names(compose, /^x-service:[\s\S]*?stop_grace_period: (\d+)s/gm);
  const [drain = ''] = names(compose, /DRAIN_MS:-(\d+)/g);
  const { CALL_TIMEOUT_MS } = gatewayConfig.shape;
  expect(Number(grace) * 1_000).toBeGreaterThan(STOP_MS);
  expect(STOP_MS).toBeGreaterThan(Number(drain) + CALL_TIMEOUT_MS.parse(undefined));
});

it('upgrades with the image of the gateway, independent of its dependencies', () => {
  const [program = ''] = names(read('deploy/upgrade.sh'), /^image=\$\(compose config gateway \| sed -n '([^']+)'\)$/gm);
  const input =
    'services:\n  clazz:\n    image: one\n  gateway:\n    depends_on:\n      nats: {}\n    image: two\n  nats:\n    image: three\n';
  expect(execFileSync('sed', ['-n', program], { input, encoding: 'utf8' })).toBe('two\n');
});

/** A command that sends a signal to a container from the host, with any options between its words. */
const SIGNAL_FROM_OUTSIDE = /\b(docker|compose)\b[^`;|&\n]*?\skill\b/;

it.each([
  ['docker kill --signal HUP "$id"', true],
  ['docker --context prod container kill -s HUP nats', true],
  ['docker compose --env-file deploy/compose.env kill -s HUP nats', true],
  ['docker-compose kill nats', true],
  ['compose "${OPTIONS[@]}" kill -s HUP nats', true],
  ['docker compose \\\n  kill -s HUP nats', true],
  ['docker compose exec nats nats-server --signal reload=1', false],
  ['`docker compose ps`, then `kill`', false],
])('recognizes whether %j sends a signal from the host: %s', (command, isSent) => {
  expect(SIGNAL_FROM_OUTSIDE.test(command.replaceAll(/\\\n/g, ' '))).toBe(isSent);
});

it('never signals a container from the host, which would end its restart policy', () => {
  // The engine treats a container that it signalled as stopped by hand, so it stays down after a crash or reboot.
  const files = globSync(
    ['*.{md,yml}', 'Dockerfile', '{docs,deploy,examples}/**/*', '{apps,libs,services,tools}/**/*.{ts,mjs,md}'],
    { cwd: ROOT, exclude: ['**/node_modules/**', 'tools/proofs/test/deploy.test.ts'] },
  ).filter((file) => statSync(join(ROOT, file)).isFile());
  expect(files).toEqual(
    expect.arrayContaining(['README.md', 'deploy/upgrade.sh', 'tools/operators/cli/commands/nats.ts']),
  );
  const found = files.filter((file) => SIGNAL_FROM_OUTSIDE.test(read(file).replaceAll(/\\\n/g, ' ')));
  expect(found).toEqual([]);
});

it('reloads the broker configuration inside its container', () => {
  const [reload = ''] = /^reload_broker\(\) \{\n[\s\S]*?^\}/m.exec(read('deploy/upgrade.sh')) ?? [];
  expect(reload).toMatch(/^ {2}compose exec -T nats nats-server --signal reload=1$/m);
});

it('upgrade.sh refuses while the broker has a single account, and names the script that changes this', () => {
  const bin = mkdtempSync(join(tmpdir(), 'teaching-docker-'));
  const docker = `#!/bin/sh\necho "$*" >> ${bin}/log\ncase "$*" in *accountz*) echo '{"accounts":["$G","$SYS"]}' ;; esac\n`;
  writeFileSync(join(bin, 'docker'), docker, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env['PATH']}` };
  const { status, stderr } = spawnSync(join(ROOT, 'deploy/upgrade.sh'), [], { env, encoding: 'utf8' });
  expect(stderr).toContain('Run deploy/broker-accounts.sh');
  expect(status).toBe(1);
  expect(readFileSync(join(bin, 'log'), 'utf8')).not.toMatch(/ run | up |signal/);
  rmSync(bin, { recursive: true });
});
