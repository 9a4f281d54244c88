import { broker } from './broker.ts';
import { certificates, misfits } from './certificates.ts';
import { databases } from './databases.ts';
import { readEnvironment } from './environment.ts';
import { type Finding, merged } from './finding.ts';
import type { Installation } from './installation.ts';
import { loginProvider, sealKeys, signingSecrets, tokenKeys } from './keys.ts';
import { machine } from './machine.ts';

/**
 * Looks at everything that a start of these processes needs, by the schemas and logins that they use themselves. Changes
 * nothing. What follows from another finding is left out where that can be known.
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
  return merged([...known, ...(await Promise.all(looks)).flat()]);
};
