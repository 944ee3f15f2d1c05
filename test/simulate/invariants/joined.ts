/** A control plane makes and takes machines one after the other: while one has yet to join, none comes and none goes. */
import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { isEnding } from './leaving.ts';
import { clusterName, controlled, isGoing, verdictOf } from './whose.ts';

const remediationFor = 'controlplane.cluster.x-k8s.io/remediation-for';

export const joined = ({ world: { mirror }, has, isRuined }: Setting): Invariant => {
  const isJoining = (machine: Machine): boolean =>
    !isGoing(machine) &&
    !machine.status?.nodeRef &&
    // Whoever is ill and has not joined may never do so.
    verdictOf(machine, 'HealthCheckSucceeded') !== 'False';
  const expectJoined = ({ metadata }: KubeObject, what: string) => {
    const { name, namespace = '', labels = {}, ownerReferences = [] } = metadata;
    const { name: of = '' } = ownerReferences.find(({ controller }) => controller) ?? {};
    const owner = mirror.get<KubeObject>('KubeadmControlPlane', namespace, of);
    if (!owner || isGoing(owner) || isEnding(mirror, namespace, labels[clusterName] ?? '')) return;
    const other = controlled<Machine>(mirror, 'Machine', owner).find(
      (one) => one.metadata.uid !== metadata.uid && isJoining(one),
    );
    if (other) throw new Violation('one by one', `${name} ${what} while ${other.metadata.name} has yet to join`);
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (object?.kind !== 'Machine' || writer !== 'kubeadm-control-plane') return;
      // Who stood still goes by what was.
      if (has('worker.frozen') || has('worker.late') || isRuined?.()) return;
      // What comes instead of one that is ill waits for nobody.
      if (!before && !object.metadata.annotations?.[remediationFor]) expectJoined(object, 'is made');
      if (before && isGoing(object) && !isGoing(before)) expectJoined(object, 'goes');
    },
  };
};
