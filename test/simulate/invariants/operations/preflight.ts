import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import type { Condition, KubeObject } from '../../../../machinery/api/object.ts';
import { isEnding } from '../deletion.ts';
import { takenOver } from '../grace.ts';
import type { Rule } from '../rule.ts';

const creation =
  /^(AllocateAddress|RunInstances|Create(Vpc|Subnet|NatGateway|LoadBalancer|TargetGroup|SecurityGroup))$/;
const clusterUid = 'capstan.dev/cluster-uid';
const hook = /^pre-(drain|terminate)\.delete\.hook\.machine\.cluster\.x-k8s\.io/;

interface Asked {
  TagSpecifications?: { Tags: { Key: string; Value: string }[] }[];
  Tags?: { Key: string; Value: string }[];
}
const verdictOf = ({ status }: ClusterOperation) => status?.steps?.find(({ name }) => name === 'Preflight')?.verdict;

const target = 'capstan.dev/target';
const makers = new Set(['kubeadm-control-plane', 'machine-set']);

export const preflight: Rule = ({ world, has }, broken) => {
  const { mirror, clock } = world;
  /** By the uid of a Cluster: since when its target forbids building. */
  const still = new Map<string, number>();
  const onCluster = ({ metadata: { uid = '', annotations = {} }, status }: Cluster) => {
    const isServing = (status?.conditions as Condition[] | undefined)?.some(
      (one) => one.type === 'Available' && one.status === 'True',
    );
    // A Cluster that was Available is repaired whatever happens to an operation.
    if (annotations[target] === 'Build' || isServing) still.set(uid, Number.POSITIVE_INFINITY);
    else if (!still.has(uid)) still.set(uid, Number.NEGATIVE_INFINITY);
    else if (still.get(uid) === Number.POSITIVE_INFINITY && !available.has(uid)) still.set(uid, clock.now());
    if (isServing) available.add(uid);
  };
  const available = new Set<string>();
  const expectAdmitted = ({ kind, metadata }: KubeObject) => {
    const name = metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? '';
    const { uid = '' } = mirror.get<Cluster>('Cluster', metadata.namespace!, name)?.metadata ?? {};
    const since = still.get(uid) ?? Number.POSITIVE_INFINITY;
    if (!available.has(uid) && clock.now() - since > takenOver(has) && !has('worker.late'))
      throw broken(`${kind} ${metadata.name} is created for a cluster whose target is not Build`);
  };
  for (const cluster of mirror.all<Cluster>('Cluster')) onCluster(cluster);
  /** By the uid of a Cluster: the first paid call, and the verdicts of preflight. */
  const paid = new Map<string, string>();
  const passed = new Set<string>();
  const refused = new Set<string>();
  /** By the uid of a Cluster: the uid of its latest operation. */
  const newest = new Map<string, string | undefined>();
  const expectUnpaid = (uid: string) => {
    if (paid.has(uid) && refused.has(uid) && !passed.has(uid))
      throw broken(`${paid.get(uid)} for cluster ${uid}, which preflight refused`);
  };
  // The verdict may be written after the decision took effect, but it is the same verdict. Each
  // operation decides anew.
  const onOperation = (operation: ClusterOperation, event: string) => {
    // Machines are repaired while an upgrade or a restore is refused.
    if (operation.spec?.type === 'upgrade' || operation.spec?.type === 'restore') return;
    const verdict = verdictOf(operation);
    for (const { kind, uid } of operation.metadata.ownerReferences ?? []) {
      if (kind !== 'Cluster') continue;
      if (event === 'ADDED') {
        newest.set(uid, operation.metadata.uid);
        refused.delete(uid);
      }
      const { uid: own } = operation.metadata;
      if ((newest.get(uid) ?? own) !== own) continue;
      if (verdict === 'Succeeded') passed.add(uid);
      if (verdict === 'Refused') refused.add(uid);
      expectUnpaid(uid);
    }
  };
  const onInfrastructure = ({ metadata }: KubeObject, before: KubeObject | undefined, writer: string | undefined) => {
    if (writer !== 'machine' || !metadata.deletionTimestamp || before?.metadata.deletionTimestamp) return;
    const { namespace = '', name, ownerReferences = [] } = metadata;
    const owner = ownerReferences.find(({ kind }) => kind === 'Machine');
    const machine = owner && mirror.get<Machine>('Machine', namespace, owner.name);
    if (!machine?.metadata.deletionTimestamp || !machine.status?.nodeRef) return;
    const held = Object.keys(machine.metadata.annotations ?? {}).find((key) => hook.test(key));
    if (held && !isEnding(mirror, namespace, machine.spec?.clusterName ?? ''))
      throw broken(`${name} is deleted although ${held} holds it`);
  };
  return {
    onCommit: ({ event, object, before, writer }) => {
      if (object?.kind === 'Cluster') onCluster(object as Cluster);
      if (event === 'ADDED' && object?.kind === 'Machine' && makers.has(writer ?? '')) expectAdmitted(object);
      if (object?.kind === 'ClusterOperation') onOperation(object as ClusterOperation, event);
      if (object?.kind === 'AWSMachine') onInfrastructure(object, before, writer);
    },
    onCall: ({ action, input, happened }) => {
      if (!happened || !creation.test(action)) return;
      const { TagSpecifications = [], Tags = [] } = input as Asked;
      const all = [...Tags, ...TagSpecifications.flatMap((one) => one.Tags)];
      const uid = all.find(({ Key }) => Key === clusterUid)?.Value;
      if (!uid) return;
      paid.set(uid, action);
      expectUnpaid(uid);
    },
  };
};
