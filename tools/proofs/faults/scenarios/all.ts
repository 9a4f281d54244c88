import type { Scenario } from '../scenario.ts';
import { apiPoison } from './api-poison.ts';
import { frozenLeader } from './frozen-leader.ts';
import { lostLast } from './lost-last.ts';
import { missingGrant } from './missing-grant.ts';
import { poisonNeighbour, slowPoison } from './poison-neighbour.ts';
import { randomKills } from './random-kills.ts';
import { overtaken, postgresPutBack, wholeClusterPutBack } from './source-put-back.ts';
import { storeFull } from './store-full.ts';
import { storePutBack } from './store-put-back.ts';
import { frozenInstance } from './frozen-instance.ts';
import { wrongInstance } from './wrong-instance.ts';
import { silentCut } from './silent-cut.ts';
import { postgresDown } from './postgres-down.ts';
import { outcome } from './outcome.ts';
import { loseAny } from './lose-any.ts';
import { replaceAll } from './replace-all.ts';
import { rolling, killUnderLoad } from './rolling.ts';
import { overload } from './overload.ts';
import { unfairOrg } from './unfair-org.ts';
import { tokenFlood } from './token-flood.ts';
import { brokerPassword } from './broker-password.ts';
import { duties } from './duties.ts';
import { sigterm } from './sigterm.ts';
import { soak } from './soak.ts';

export const SCENARIOS: readonly Scenario[] = [
  storePutBack,
  postgresPutBack,
  poisonNeighbour,
  slowPoison,
  missingGrant,
  frozenLeader,
  storeFull,
  wholeClusterPutBack,
  overtaken,
  lostLast,
  randomKills,
  apiPoison,
  frozenInstance,
  wrongInstance,
  silentCut,
  postgresDown,
  outcome,
  rolling,
  killUnderLoad,
  loseAny,
  replaceAll,
  overload,
  unfairOrg,
  tokenFlood,
  brokerPassword,
  duties,
  sigterm,
  soak,
];
