import { answeredFigures, orgFigures } from './answers.ts';
import { at, textAt } from '../system/plain-api.ts';
import { evidenceIn } from './evidence.ts';
import { differences, type Figures } from './figures.ts';
import type { Load } from './load.ts';
import { pause } from '../system/poll.ts';
import { recompute } from './recompute-figures.ts';
import { STUDENTS, TEACHERS } from './school.ts';
import type { System } from '../system/start-system.ts';
import { checkAuditLog } from './check-audit-log.ts';

const WITHIN_MS = 60_000;
const AGAIN_MS = 300;

export interface Verdict {
  /** What is not as it should be; nothing when all is well. */
  wrong: string[];
  /** How long it took until everything agreed. */
  ms: number;
  figures: number;
}

/** Acknowledged writes that the source does not show. */
const lostWrites = async ({ postgres }: System, { record }: Load): Promise<string[]> => {
  const there = await evidenceIn(postgres, record.orgs);
  return record.writes
    .filter(({ done, mayBeGone }) => done && !mayBeGone)
    .flatMap(({ kind, evidence, request_id }) =>
      evidence
        .filter((it) => !there.has(it))
        .map((it) => `acknowledged, but not in the source: ${kind} ${request_id}: ${it}`),
    );
};

/** Students and teachers that no answer was asked about count in their org only. */
const asked = (figures: Figures, clazzes: readonly string[]): Figures =>
  new Map(
    [...figures].filter(([key]) => {
      const [kind = '', id = ''] = key.split(' ');
      const known = { student: STUDENTS, teacher: TEACHERS, clazz: clazzes, seat: clazzes, org: undefined }[kind];
      return kind === 'org' || known?.includes(id) === true;
    }),
  );

/** Where statistics and source differ: the whole org first, then everybody. */
const wrongFigures = async (system: System, load: Load): Promise<{ wrong: string[]; figures: number }> => {
  const wrong: string[] = [];
  let figures = 0;
  for (const { org, clazzes } of load.schools) {
    const source = await recompute(system.postgres, org);
    const whole = asked(source, []);
    const ofOrg = new Map([...whole].filter(([key]) => key.startsWith('org ')));
    const found = differences(await orgFigures(system.api, org), ofOrg);
    const answered = found.length > 0 ? undefined : await answeredFigures(system.api, org, clazzes);
    const all = answered === undefined ? found : differences(answered, asked(source, clazzes));
    figures += source.size;
    wrong.push(...all.map((line) => `org ${org.slice(0, 8)}: ${line}`));
  }
  return { wrong, figures };
};

const ENTRIES = 'select count(*)::int as entries from clazz.clazz_audit_log where org_id = $1';

/** Chains that do not verify, or that verify without all entries. */
const brokenChains = async (system: System, load: Load): Promise<string[]> => {
  const broken: string[] = [];
  for (const org of load.record.orgs) {
    const { status, body } = await system.api({ path: '/clazz/audit-log/verify', org });
    const [row] = await system.postgres.sql<{ entries: number }>(ENTRIES, [org]);
    const why = at(body, 'ok') === true ? '' : textAt(body, 'first_broken', 'why');
    if (status === 200 && at(body, 'ok') === true && at(body, 'entries') === row?.entries) continue;
    const counts = `${textAt(body, 'entries')} verified, ${row?.entries} stored`;
    broken.push(`org ${org.slice(0, 8)}: the audit chain is not well: ${status}, ${counts} ${why}`.trim());
  }
  return broken;
};

/** Everything that can be wrong, right now. */
const look = async (system: System, load: Load): Promise<{ wrong: string[]; figures: number }> => {
  const lost = await lostWrites(system, load);
  const { wrong, figures } = await wrongFigures(system, load);
  return { wrong: [...lost, ...load.tooEarly, ...wrong, ...(await checkAuditLog(system, load.record))], figures };
};

/** Waits, bounded, until source, statistics and audit agree with each other and with what callers were told. */
export const checkAgreement = async (system: System, load: Load, within = WITHIN_MS): Promise<Verdict> => {
  const begun = Date.now();
  for (;;) {
    const { wrong, figures } = await look(system, load).catch((error: unknown) => {
      return { wrong: [`it could not be checked: ${String(error)}`], figures: 0 };
    });
    const ms = Date.now() - begun;
    if (wrong.length > 0 && ms < within) {
      await pause(AGAIN_MS);
      continue;
    }
    return { wrong: [...wrong, ...(await brokenChains(system, load))], ms, figures };
  }
};
