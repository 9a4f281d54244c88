import type { Scenario } from '../scenario.ts';
import { apiPoison } from './api-poison.ts';
import { frozenLeader } from './frozen-leader.ts';
import { logDiskFull } from './log-disk-full.ts';
import { lostLastCommits } from './lost-last-commits.ts';
import { missingGrant } from './missing-grant.ts';
import { poisonPeer, slowPoison } from './poison-peer.ts';
import { randomKills } from './random-kills.ts';
import { standbyTakesOver, postgresRestored, clusterRestored } from './source-restored.ts';
import { storeFull } from './store-full.ts';
import { storeRestored } from './store-restored.ts';
import { frozenInstance } from './frozen-instance.ts';
import { wrongInstance } from './wrong-instance.ts';
import { silentCut } from './silent-cut.ts';
import { postgresDown } from './postgres-down.ts';
import { unknownOutcome } from './unknown-outcome.ts';
import { loseAny } from './lose-any.ts';
import { replaceAll } from './replace-all.ts';
import { rolling, killUnderLoad } from './rolling-restart.ts';
import { overload } from './overload.ts';
import { unfairOrg } from './unfair-org.ts';
import { tokenFlood } from './token-flood.ts';
import { brokerPassword } from './broker-password.ts';
import { leaderTakeover } from './leader-takeover.ts';
import { sigterm } from './sigterm.ts';
import { soak } from './soak.ts';

export const SCENARIOS: readonly Scenario[] = [
  storeRestored,
  postgresRestored,
  poisonPeer,
  slowPoison,
  missingGrant,
  frozenLeader,
  storeFull,
  clusterRestored,
  standbyTakesOver,
  lostLastCommits,
  randomKills,
  apiPoison,
  frozenInstance,
  wrongInstance,
  silentCut,
  postgresDown,
  logDiskFull,
  unknownOutcome,
  rolling,
  killUnderLoad,
  loseAny,
  replaceAll,
  overload,
  unfairOrg,
  tokenFlood,
  brokerPassword,
  leaderTakeover,
  sigterm,
  soak,
];
