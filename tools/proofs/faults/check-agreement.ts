import { answeredFigures, orgFigures } from './answers.ts';
import { fieldAt, textAt } from '../system/plain-api.ts';
import { readEvidence } from './evidence.ts';
import { differences, type Figures } from './figures.ts';
import type { Load } from './load.ts';
import { pause } from '../system/poll.ts';
import { recomputeFigures } from './recompute-figures.ts';
import { STUDENTS, TEACHERS } from './school.ts';
import type { System } from '../system/start-system.ts';
import { checkAuditLog } from './check-audit-log.ts';

const WITHIN_MS = 60_000;
const RETRY_MS = 300;

export interface AgreementResult {
  /** The differences, one line each; empty when everything agrees. */
  differences: string[];
  /** Milliseconds until everything agreed. */
  ms: number;
  figures: number;
}

/** Acknowledged writes that are missing in the source. */
const lostWrites = async ({ postgres }: System, { record }: Load): Promise<string[]> => {
  const stored = await readEvidence(postgres, record.orgs);
  return record.writes
    .filter(({ done, mayBeLost }) => done && !mayBeLost)
    .flatMap(({ kind, evidence, request_id }) =>
      evidence
        .filter((line) => !stored.has(line))
        .map((line) => `acknowledged, but not in the source: ${kind} ${request_id}: ${line}`),
    );
};

/**
 * Drops the figures of students and teachers that `answeredFigures` does not query. They count only in their
 * organization.
 */
const queriedFigures = (figures: Figures, clazzes: readonly string[]): Figures =>
  new Map(
    [...figures].filter(([key]) => {
      const [kind = '', id = ''] = key.split(' ');
      const known = { student: STUDENTS, teacher: TEACHERS, clazz: clazzes, seat: clazzes, org: undefined }[kind];
      return kind === 'org' || known?.includes(id) === true;
    }),
  );

/**
 * The differences between statistics and source. Compares the organization first and its members only when that agrees.
 */
const wrongFigures = async (system: System, load: Load): Promise<{ wrong: string[]; figures: number }> => {
  const wrong: string[] = [];
  let figures = 0;
  for (const { org, clazzes } of load.schools) {
    const source = await recomputeFigures(system.postgres, org);
    const whole = queriedFigures(source, []);
    const ofOrg = new Map([...whole].filter(([key]) => key.startsWith('org ')));
    const found = differences(await orgFigures(system.api, org), ofOrg);
    const answered = found.length > 0 ? undefined : await answeredFigures(system.api, org, clazzes);
    const all = answered === undefined ? found : differences(answered, queriedFigures(source, clazzes));
    figures += source.size;
    wrong.push(...all.map((line) => `org ${org.slice(0, 8)}: ${line}`));
  }
  return { wrong, figures };
};

const ENTRIES = 'select count(*)::int as entries from clazz.clazz_audit_log where org_id = $1';

/** Audit chains that do not verify or that verify without all entries. */
const brokenChains = async (system: System, load: Load): Promise<string[]> => {
  const broken: string[] = [];
  for (const org of load.record.orgs) {
    const { status, body } = await system.api({ path: '/clazz/audit-log/verify', org });
    const [row] = await system.postgres.sql<{ entries: number }>(ENTRIES, [org]);
    const why = fieldAt(body, 'ok') === true ? '' : textAt(body, 'first_broken', 'why');
    if (status === 200 && fieldAt(body, 'ok') === true && fieldAt(body, 'entries') === row?.entries) continue;
    const counts = `${textAt(body, 'entries')} verified, ${row?.entries} stored`;
    broken.push(`org ${org.slice(0, 8)}: the audit chain is broken: ${status}, ${counts} ${why}`.trim());
  }
  return broken;
};

/** All differences at this moment. */
const compare = async (system: System, load: Load): Promise<{ wrong: string[]; figures: number }> => {
  const lost = await lostWrites(system, load);
  const { wrong, figures } = await wrongFigures(system, load);
  return { wrong: [...lost, ...load.tooEarly, ...wrong, ...(await checkAuditLog(system, load.record))], figures };
};

/** Waits up to `within` ms until sources, statistics, audit log and the answers that callers received agree. */
export const checkAgreement = async (system: System, load: Load, within = WITHIN_MS): Promise<AgreementResult> => {
  const begun = Date.now();
  for (;;) {
    const { wrong, figures } = await compare(system, load).catch((error: unknown) => {
      return { wrong: [`the check failed: ${String(error)}`], figures: 0 };
    });
    const ms = Date.now() - begun;
    if (wrong.length > 0 && ms < within) {
      await pause(RETRY_MS);
      continue;
    }
    return { differences: [...wrong, ...(await brokenChains(system, load))], ms, figures };
  }
};
