/**
 * Checks that instance profiles exist. An account without permission to read IAM is not blocked.
 */
import { found } from '../../../machinery/api/reconcile.ts';
import type { PreflightFacts } from './facts.ts';
import { absent, type Finding, unknownForNow } from './finding.ts';

export const judgeInstanceProfiles = ({ cloud, machines }: PreflightFacts): Finding[] =>
  machines.flatMap(({ spec, at }) => {
    const name = found(spec)?.iamInstanceProfile;
    const profile = name ? cloud?.profiles.get(name) : undefined;
    return profile?.state === 'absent'
      ? [
          absent(
            `${at.object} ${at.path}.iamInstanceProfile: instance profile ${name} does not exist: create it in IAM, or name another`,
          ),
        ]
      : unknownForNow(`instance profile ${name}`, profile);
  });
