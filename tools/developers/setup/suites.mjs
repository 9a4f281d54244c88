import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const APT = '/etc/apt';

/** The code name of this system, e.g. `bookworm`; undefined if it is no Debian. */
const codename = () => {
  const file = '/etc/os-release';
  const said = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return /^ID=debian$/m.test(said) ? /^VERSION_CODENAME=(\w+)$/m.exec(said)?.[1] : undefined;
};

/** Every source of packages this system is set up with: one line each, or a paragraph of fields. */
const sources = () => {
  const folder = join(APT, 'sources.list.d');
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [join(APT, 'sources.list'), ...files]
    .filter((file) => existsSync(file) && /\.(list|sources)$/.test(file))
    .flatMap((file) => {
      const by = file.endsWith('.sources') ? /\n\s*\n/ : '\n';
      return readFileSync(file, 'utf8')
        .split(by)
        .map((entry) => ({ entry, kind: file.endsWith('.sources') ? 'sources' : 'list' }));
    });
};

/** The system's main package source, changed to another suite; undefined if there is none. */
const sourceOf = (suite) => {
  const own = codename();
  if (own === undefined) return undefined;
  const line = new RegExp(`^(deb\\s+(?:\\[[^\\]]*\\]\\s+)?\\S+\\s+)${own}\\s+main\\b.*$`);
  const field = new RegExp(`^Suites:(?=.*\\s${own}(\\s|$)).*$`, 'm');
  for (const { entry, kind } of sources()) {
    if (kind === 'list' && line.test(entry)) return { kind, text: entry.replace(line, `$1${suite} main`) };
    if (kind === 'sources' && field.test(entry) && /^Types:.*\bdeb\b/m.test(entry))
      return { kind, text: entry.replace(field, `Suites: ${suite}`) };
  }
  return undefined;
};

/** Options of apt that restrict it to another suite of this distribution; `list` is a file to write. */
export const suiteOptions = (suite, list) => {
  const source = sourceOf(suite);
  if (source === undefined) throw new Error(`only a Debian system has packages of its suite ${suite}`);
  writeFileSync(`${list}.${source.kind}`, `${source.text}\n`);
  return [`-oDir::Etc::sourcelist=${list}.${source.kind}`, '-oDir::Etc::sourceparts=-'];
};
