import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { isEnding } from '../deletion.ts';
import { clusterName, controlled, isGoing, verdictOf } from '../relations.ts';
import type { Rule, Rules } from '../rule.ts';
import { failureDomains } from './failure-domains.ts';
import { kubeadmState } from './kubeadm.ts';
import { quorum } from './quorum.ts';
import { versionSkew } from './version-skew.ts';

const remediationFor = 'controlplane.cluster.x-k8s.io/remediation-for';

const oneAtATime: Rule = ({ world: { mirror }, has, isRuined }, broken) => {
  const isJoining = (machine: Machine): boolean =>
    !isGoing(machine) &&
    !machine.status?.nodeRef &&
    // An unhealthy machine may never join.
    verdictOf(machine, 'HealthCheckSucceeded') !== 'False';
  const expectJoined = ({ metadata }: KubeObject, what: string) => {
    const { name, namespace = '', labels = {}, ownerReferences = [] } = metadata;
    const { name: of = '' } = ownerReferences.find(({ controller }) => controller) ?? {};
    const owner = mirror.get<KubeObject>('KubeadmControlPlane', namespace, of);
    if (!owner || isGoing(owner) || isEnding(mirror, namespace, labels[clusterName] ?? '')) return;
    const other = controlled<Machine>(mirror, 'Machine', owner).find(
      (one) => one.metadata.uid !== metadata.uid && isJoining(one),
    );
    if (other) throw broken(`${name} ${what} while ${other.metadata.name} has yet to join`);
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (object?.kind !== 'Machine' || writer !== 'kubeadm-control-plane') return;
      // A frozen worker acts on an outdated state.
      if (has('worker.frozen') || has('worker.late') || isRuined?.()) return;
      // A replacement of an unhealthy machine does not wait for other machines to join.
      if (!before && !object.metadata.annotations?.[remediationFor]) expectJoined(object, 'is created');
      if (before && isGoing(object) && !isGoing(before)) expectJoined(object, 'is deleted');
    },
  };
};

export const controlPlaneRules: Rules = {
  'machines join and leave one at a time': oneAtATime,
  'etcd keeps its quorum and removes members in order': quorum,
  'nothing in a cluster is newer than its oldest API server': versionSkew,
  'machines are balanced across failure domains': failureDomains,
  'what kubeadm installed matches the version and the configuration': kubeadmState,
};
