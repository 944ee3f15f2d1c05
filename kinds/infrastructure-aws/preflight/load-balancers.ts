/** Checks that the load balancers' names are free. */
import { found } from '../../../machinery/api/reconcile.ts';
import { carries, evidence, tagsText } from '../engine/tags.ts';
import { isClassic } from '../network/desired-load-balancer.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused, unknown } from './finding.ts';

export const judgeLoadBalancers = ({ cloud, awsCluster, owner, region }: PreflightFacts): Finding[] => {
  const infrastructure = found(awsCluster);
  if (!cloud || !infrastructure) return [];
  const remedy = owner.namedAfter
    ? `give it the tags ${tagsText(evidence(owner))}`
    : 'choose another name, or remove that load balancer';
  const reserved = (['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer'] as const)
    .filter((field) => infrastructure.spec?.[field]?.name?.startsWith('internal-'))
    .filter((field) => field === 'secondaryControlPlaneLoadBalancer' || !isClassic(infrastructure.spec ?? {}))
    .map((field) =>
      refused(
        `${nameOf(infrastructure)} spec.${field}.name: AWS takes no name that begins with internal-: choose another`,
      ),
    );
  const taken = [...cloud.loadBalancers].flatMap(([name, { balancer, tags }]) => {
    if (balancer.state !== 'found') return unknown(`load balancer ${name}`, balancer);
    if (tags.state !== 'found') return unknown(`the tags of load balancer ${name}`, tags);
    if (carries(tags.value, evidence(owner))) return [];
    const second = infrastructure.spec?.secondaryControlPlaneLoadBalancer?.name === name;
    const field = second ? 'secondaryControlPlaneLoadBalancer' : 'controlPlaneLoadBalancer';
    return [
      refused(
        `${nameOf(infrastructure)} spec.${field}.name: a load balancer named ${name} that is not this cluster's exists in ${region}: ${remedy}`,
      ),
    ];
  });
  return [...reserved, ...taken];
};
