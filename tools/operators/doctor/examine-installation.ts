import { broker } from './broker.ts';
import { certificates, misfits } from './certificates.ts';
import { databases } from './databases.ts';
import { readEnvironment } from './environment.ts';
import { type Finding, mergeFindings } from './findings.ts';
import type { Installation } from './installation.ts';
import { loginProvider, sealKeys, signingSecrets, tokenKeys } from './keys.ts';
import { machine } from './machine.ts';

/**
 * Checks everything that a start of these processes needs, with their own schemas and logins. Changes nothing. Leaves out findings
 * that are known to follow from another one.
 */
export const examine = async (installation: Installation): Promise<Finding[]> => {
  const { configs, findings } = readEnvironment(installation);
  const unfit = misfits(configs);
  const known = [
    ...findings,
    ...unfit,
    ...sealKeys(configs),
    ...signingSecrets(configs),
    ...certificates(configs, installation.clock()),
  ];
  const looks = [
    tokenKeys(configs.gateway),
    loginProvider(configs.gateway),
    databases(configs, installation),
    broker(
      configs,
      unfit.flatMap(({ about }) => about),
      installation.oldest.broker,
    ),
    machine(configs, installation),
  ];
  return mergeFindings([...known, ...(await Promise.all(looks)).flat()]);
};
