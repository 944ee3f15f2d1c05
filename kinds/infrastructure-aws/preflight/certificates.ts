/** Checks the certificates that the user provides. Missing ones are generated. */
import { found } from '../../../machinery/api/reconcile.ts';
import { secretValue } from '../../core/contract/cluster-secrets.ts';
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
  const { certificate, publicKey, privateKey, matches } = pair.value;
  const wants = purpose === 'sa' ? 'a public key' : 'a certificate';
  if (purpose === 'sa' ? !publicKey : !certificate) return [refused(`${name}: tls.crt is not ${wants} in PEM`)];
  if (!privateKey) return [refused(`${name}: tls.key is not a private key in PEM without a passphrase`)];
  if (!matches) return [refused(`${name}: tls.key is not the key of tls.crt: put a pair that belongs together`)];
  if (!certificate || purpose === 'sa') return [];
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  if (purpose !== 'apiserver-etcd-client' && !certificate.authority)
    return [refused(`${name}: the certificate in tls.crt is not that of an authority (CA:TRUE): issue one that is`)];
  if (certificate.notAfter <= now)
    return [refused(`${name}: the certificate in tls.crt ended on ${day(certificate.notAfter)}: renew it`)];
  return certificate.notBefore > now
    ? [refused(`${name}: the certificate in tls.crt begins only on ${day(certificate.notBefore)}: issue it anew`)]
    : [];
};
