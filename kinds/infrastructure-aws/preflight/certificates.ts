/** Checks the certificates that the user provides. Missing ones are generated. */
import { found } from '../../../machinery/api/reconcile.ts';
import { secretValue } from '../../core/contract/cluster-secrets.ts';
import { keyPairFault } from '../../core/contract/key-pair.ts';
import type { PreflightFacts, SecretFacts, SecretPurpose } from './facts.ts';
import { absent, type Finding, nameOf, refused, unknown } from './finding.ts';

export const judgeCertificates = (facts: PreflightFacts): Finding[] => {
  const { secrets, cluster, controlPlane } = facts;
  const plane = controlPlane && found(controlPlane);
  const external = plane?.spec?.kubeadmConfigSpec?.clusterConfiguration?.etcd?.external !== undefined;
  return (Object.entries(secrets) as [SecretPurpose, SecretFacts][]).flatMap(([purpose, { secret, pair }]) => {
    const name = `Secret ${cluster.metadata.namespace}/${cluster.metadata.name}-${purpose}`;
    if (secret.state === 'absent')
      return external && plane && (purpose === 'etcd' || purpose === 'apiserver-etcd-client')
        ? [
            absent(
              `${name} does not exist, and spec.kubeadmConfigSpec.clusterConfiguration.etcd.external of ${nameOf(plane)} needs it: create it with tls.crt and tls.key`,
            ),
          ]
        : [];
    if (secret.state !== 'found') return unknown(name, secret);
    const missing = ['tls.crt', 'tls.key'].filter((key) => !secretValue(secret.value, key));
    // The CA of an external etcd signs nothing here.
    if (external && purpose === 'etcd' && !missing.includes('tls.crt')) return [];
    if (missing.length > 0)
      return [
        refused(`${name} lacks ${missing.join(' and ')}: add it, or delete the Secret so that a new one is made`),
      ];
    return judgePair(name, purpose, pair, facts.now);
  });
};

const judgePair = (name: string, purpose: SecretPurpose, pair: SecretFacts['pair'], now: number): Finding[] => {
  if (pair?.state !== 'found') return unknown(name, pair);
  const fault = keyPairFault(purpose, pair.value, now);
  return fault === undefined ? [] : [refused(`${name}: ${fault}`)];
};
