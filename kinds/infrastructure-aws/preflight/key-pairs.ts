/** Checks that the SSH key pairs exist. */
import { found } from '../../../machinery/api/reconcile.ts';
import type { PreflightFacts } from './facts.ts';
import { absent, type Finding, nameOf, unknown } from './finding.ts';
import { keyPairOf } from './observe-cloud.ts';

export const judgeKeyPairs = ({ cloud, awsCluster, machines, region }: PreflightFacts): Finding[] => {
  const infrastructure = found(awsCluster);
  if (!cloud || !infrastructure) return [];
  return machines.flatMap((planned) => {
    const spec = found(planned.spec);
    const name = spec && keyPairOf(planned, spec, infrastructure.spec ?? {});
    const pair = name ? cloud.keyPairs.get(name) : undefined;
    if (pair?.state !== 'absent') return unknown(`key pair ${name}`, pair);
    const own = !planned.bastion && spec?.sshKeyName !== undefined;
    const field = own
      ? `${planned.at.object} ${planned.at.path}.sshKeyName`
      : `${nameOf(infrastructure)} spec.sshKeyName`;
    return [
      absent(`${field}: key pair ${name} does not exist in ${region}: import it, name another, or leave the field out`),
    ];
  });
};
