import { type Client, createClient } from '../../../libs/client/src/index.ts';
import type { Role } from '../../../libs/contracts/src/scalars.ts';
import type { Narrator } from './narrator.ts';

/** Mints a token for a person of one organization. */
export type TokenFor = (org: string, sub: string, roles: readonly Role[]) => string;

const PEOPLE = {
  /** Runs the school. */
  sun: 'SUPERVISOR',
  /** Teaches Chinese and leads the class. */
  li: 'TEACHER',
  /** Teaches Spanish. */
  vega: 'TEACHER',
  amina: 'STUDENT',
  ben: 'STUDENT',
  chloe: 'STUDENT',
  /** Mother of Amina. */
  dina: 'GUARDIAN',
} as const satisfies Record<string, Role>;
export type Person = keyof typeof PEOPLE;

/** The setting of the scenario: an organization of its own, its people, and the present moment. */
export interface Stage extends Pick<Narrator, 'chapter' | 'say'> {
  org: string;
  now: Date;
  /** The API as one of the people sees it. */
  as: Record<Person, Client>;
}

export interface StageOptions {
  address: string;
  org: string;
  tokenFor: TokenFor;
  narrator: Narrator;
}

/** The same people act in every organization; this one is new. */
export const setStage = ({ address, org, tokenFor, narrator }: StageOptions): Stage => {
  const seat = (sub: Person): Client => {
    const role = PEOPLE[sub];
    const token = tokenFor(org, sub, [role]);
    return createClient({ base_url: address, token, fetch: narrator.telling(`${sub} (${role})`) });
  };
  return {
    org,
    now: new Date(),
    chapter: narrator.chapter,
    say: narrator.say,
    as: {
      sun: seat('sun'),
      li: seat('li'),
      vega: seat('vega'),
      amina: seat('amina'),
      ben: seat('ben'),
      chloe: seat('chloe'),
      dina: seat('dina'),
    },
  };
};

const HOUR_MS = 3_600_000;

/** A lesson's hour, so many hours from now. */
export const hourAt = (stage: Stage, hours: number): { starts_at: string; ends_at: string } => {
  const start = stage.now.getTime() + hours * HOUR_MS;
  return { starts_at: new Date(start).toISOString(), ends_at: new Date(start + HOUR_MS).toISOString() };
};
