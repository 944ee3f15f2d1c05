/** Checks that the objects exist and may be acted on. */

import { allowsNamespace } from '../identity/allowed.ts';
import { refusedType } from '../network/desired-load-balancer.ts';
import type { PreflightFacts } from './facts.ts';
import { absent, type Finding, nameOf, pending, refused, unknown } from './finding.ts';

export const judgeAdmission = (facts: PreflightFacts): Finding[] => [
  ...judgeReferences(facts),
  ...judgeInfrastructure(facts),
];

/** A manifest may still be applied in parts: a missing object may follow. */
const judgeReferences = ({ cluster, awsCluster, controlPlane, sets, machines }: PreflightFacts): Finding[] => {
  const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
  const missing = (what: string, by: string) => pending(`Waiting for ${what}, which ${by} names`);
  const me = nameOf(cluster);
  return [
    ...(infrastructureRef && awsCluster.state === 'absent'
      ? [missing(`${infrastructureRef.kind} ${infrastructureRef.name}`, me)]
      : unknown('the AWSCluster', awsCluster)),
    ...(controlPlaneRef && controlPlane?.state === 'absent'
      ? [missing(`${controlPlaneRef.kind} ${controlPlaneRef.name}`, me)]
      : unknown('the KubeadmControlPlane', controlPlane)),
    ...unknown('the machines', sets),
    ...machines.flatMap(({ spec, at, by, config }) =>
      [{ at, spec }, ...(config ? [config] : [])].flatMap((one) =>
        one.spec.state === 'absent' ? [missing(one.at.object, by)] : unknown(one.at.object, one.spec),
      ),
    ),
  ];
};

/**
 * Refusals that do not depend on the account: a load balancer type that Capstan does not build, an
 * identity that may not be used.
 */
const judgeInfrastructure = ({ awsCluster, identity, namespace, principal, caller }: PreflightFacts): Finding[] => {
  if (awsCluster.state !== 'found') return [];
  const me = nameOf(awsCluster.value);
  const spec = awsCluster.value.spec ?? {};
  const type = refusedType(spec);
  return [
    ...(type ? [refused(`${me}: ${type}`)] : []),
    ...judgePrincipal(me, principal),
    ...(caller?.state === 'unreadable' ? [refused(`${me}: ${caller.reason}`)] : []),
    ...judgeIdentity(me, spec.identityRef ?? { kind: identityKind, name: 'default' }, identity, namespace),
  ];
};

/** A user may create the identity after the cluster that names it. */
const judgePrincipal = (me: string, principal: PreflightFacts['principal']): Finding[] => {
  if (principal.state !== 'refused') return [];
  const { awaits, condition } = principal;
  return [awaits ? pending(`Waiting for ${awaits}, which ${me} leads to`) : refused(`${me}: ${condition.message}`)];
};

const identityKind = 'AWSClusterControllerIdentity';
const judgeIdentity = (
  me: string,
  { kind, name }: { kind: string; name: string },
  identity: PreflightFacts['identity'],
  namespace: PreflightFacts['namespace'],
): Finding[] => {
  // The principal says it of every other kind.
  if (kind !== identityKind) return [];
  if (identity.state === 'absent')
    return [absent(`${me}: ${identityKind} ${name} does not exist: create it, or name another in spec.identityRef`)];
  const unreadable = [...unknown(`${identityKind} ${name}`, identity), ...unknown('the Namespace', namespace)];
  if (identity.state !== 'found' || namespace.state !== 'found') return unreadable;
  return allowsNamespace(identity.value, namespace.value)
    ? []
    : [
        refused(
          `${me}: Namespace ${namespace.value.metadata.name} may not use ${identityKind} ${name}: allow it in spec.allowedNamespaces of that identity, or name another in spec.identityRef`,
        ),
      ];
};
