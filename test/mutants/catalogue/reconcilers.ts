/** Wrong decisions about machines, their sets, the control plane and the cluster as a whole. */
import type { Mutant } from '../mutant.ts';

const sets: Mutant[] = [
  {
    name: 'maxUnavailable is ignored',
    file: 'kinds/machine-deployment/rollout.ts',
    find: 'Math.max(replicas - maxUnavailable, 0)',
    replace: 'Math.max(maxUnavailable - replicas, 0)',
    suites: ['kinds/machine-deployment/rollout'],
  },
  {
    name: 'a rollout makes one machine more than maxSurge',
    file: 'kinds/machine-deployment/rollout.ts',
    find: 'replicas + maxSurge - total',
    replace: 'replicas + maxSurge + 1 - total',
    suites: ['kinds/machine-deployment/rollout'],
  },
  {
    name: 'machines to be deleted still count as available',
    file: 'kinds/machine-deployment/rollout.ts',
    find: ' - pending - minAvailable - newUnavailable',
    replace: ' - minAvailable - newUnavailable',
    suites: ['kinds/machine-deployment/rollout', 'kinds/machine-deployment/reconcile', 'test/sequence'],
  },
  {
    name: 'an old set is deleted with machines in it',
    file: 'kinds/machine-deployment/reconcile.ts',
    find: 'own?.replicas === 0 && status?.replicas === 0 &&',
    replace: 'own?.replicas === 0 &&',
    suites: ['kinds/machine-deployment/reconcile', 'test/sequence'],
  },
  {
    name: 'a crash leaves two current sets',
    file: 'kinds/machine-deployment/reconcile.ts',
    find: '    namesInCreation(deployment).find((noted) => !existing.has(noted)) ??\n',
    replace: '',
    suites: ['kinds/machine-deployment/reconcile'],
  },
  {
    name: 'names of machines are not written down before the machines are made',
    file: 'kinds/machine-set/reconcile.ts',
    find: 'intent: withNote(ownIntent(observed), machineSet, replicas.pending),',
    replace: 'intent: ownIntent(observed),',
    suites: ['kinds/machine-set/crash', 'kinds/machine-set/reconcile'],
  },
  {
    name: 'machines are made without an owner',
    file: 'kinds/machine-set/creation.ts',
    find: '      ownerReferences: [controllerReference(machineSet)],\n',
    replace: '',
    suites: ['kinds/machine-set/reconcile', 'test/sequence'],
  },
  {
    name: 'a set that shrinks takes more machines while some are going',
    file: 'kinds/machine-set/deletion-order.ts',
    find: 'if (isDeleting(machine)) return 100;',
    replace: 'if (isDeleting(machine)) return -1;',
    suites: ['kinds/machine-set/reconcile', 'test/sequence'],
  },
  {
    name: 'machines are added while the control plane is being upgraded',
    file: 'kinds/machine-set/reconcile.ts',
    find: 'if (obstacles.length > 0) return waiting(obstacles);',
    replace: '',
    suites: ['kinds/machine-set/reconcile'],
  },
  {
    name: 'a set takes the machines of another one for its own',
    file: 'kinds/machine-set/reconcile.ts',
    find: 'selected.filter((machine) => !controllerOf(machine) || isControlledBy(machine, machineSet));',
    replace: 'selected;',
    suites: ['kinds/machine-set/reconcile'],
  },
  {
    name: 'kubelets may be newer than the control plane',
    file: 'kinds/machine-set/preflight.ts',
    find: 'mine.minor > plane.minor ?',
    replace: 'mine.minor > plane.minor + 1 ?',
    suites: ['kinds/machine-set/reconcile'],
  },
  {
    name: 'a set is gone before its machines',
    file: 'kinds/machine-set/reconcile.ts',
    find: 'finished: machines.length === 0,',
    replace: 'finished: true,',
    suites: ['kinds/machine-set/reconcile', 'test/sequence'],
  },
];

const machines: Mutant[] = [
  {
    name: 'an instance is deleted before its node is drained',
    file: 'kinds/machine/deletion.ts',
    find: 'if (node !== undefined && (isDrainDue(facts) || isVolumeWaitDue(facts)))',
    replace: 'if (node !== undefined && isDrainDue(facts) && isVolumeWaitDue(facts) && facts.now < 0)',
    suites: ['kinds/machine/reconcile'],
  },
  {
    name: 'hooks before the end of an instance are ignored',
    file: 'kinds/machine/deletion.ts',
    find: "if (before.length > 0) return { at: 'pre-terminate', hooks: before };",
    replace: '',
    suites: ['kinds/machine/reconcile'],
  },
  {
    name: 'pods are evicted from a node that takes new ones',
    file: 'kinds/machine/reconcile-delete.ts',
    find: 'const cordon = cordonOf(node, access);',
    replace: 'const cordon: Action[] = cordonOf(node, access).slice(1);',
    suites: ['kinds/machine/reconcile'],
  },
  {
    name: 'volumes still attached are not waited for',
    file: 'kinds/machine/volumes.ts',
    find: 'status?.attached === true && spec?.nodeName',
    replace: 'status?.attached === false && spec?.nodeName',
    suites: ['kinds/machine/reconcile'],
  },
  {
    name: 'the last control plane machine to go counts as one that stays',
    file: 'kinds/machine/deletion.ts',
    find: 'labels.controlPlane] !== undefined && !isDeleting(machine)',
    replace: 'labels.controlPlane] !== undefined',
    suites: ['kinds/machine/reconcile'],
  },
];

const controlPlane: Mutant[] = [
  {
    name: 'etcd needs a vote less for its quorum',
    file: 'kinds/kubeadm-control-plane/etcd.ts',
    find: 'Math.floor(voting / 2) + 1',
    replace: 'Math.floor(voting / 2)',
    suites: ['kinds/kubeadm-control-plane/etcd'],
  },
  {
    name: 'a learner does not keep etcd from changing',
    file: 'kinds/kubeadm-control-plane/etcd.ts',
    find: ' >= quorum && learners === 0',
    replace: ' >= quorum',
    suites: ['kinds/kubeadm-control-plane/etcd'],
  },
  {
    name: 'a control plane machine is taken while another one is ill',
    file: 'kinds/kubeadm-control-plane/preflight.ts',
    find: 'return members.filter((member) => member !== except).flatMap((member) => ills(controlPlane, member));',
    replace: 'return members.filter((member) => member === except).flatMap((member) => ills(controlPlane, member));',
    suites: ['kinds/kubeadm-control-plane/scale'],
  },
  {
    name: 'two control plane machines leave at once',
    file: 'kinds/kubeadm-control-plane/preflight.ts',
    find: 'if (going.length > 0)',
    replace: 'if (going.length > 1)',
    suites: ['kinds/kubeadm-control-plane/scale'],
  },
  {
    name: 'a machine goes and its etcd member stays',
    file: 'kinds/kubeadm-control-plane/cleanup.ts',
    find: '...removeMember(controlPlane, own), dropHook(member)',
    replace: 'dropHook(member)',
    suites: ['kinds/kubeadm-control-plane/'],
  },
  {
    name: 'an etcd member is taken out although the rest is no quorum',
    file: 'kinds/kubeadm-control-plane/cleanup.ts',
    find: 'if (!keepsQuorum(etcd, members, { without: own.id })) return { requeueAfter: quorumRetry };',
    replace: '',
    suites: ['kinds/kubeadm-control-plane/'],
  },
  {
    name: 'a machine whose launch is open counts as one without a host',
    file: 'kinds/kubeadm-control-plane/cleanup.ts',
    find: 'providerIdOf(infraMachine) !== undefined || mayHaveLaunched(infraMachine)',
    replace: 'providerIdOf(infraMachine) !== undefined',
    suites: ['kinds/kubeadm-control-plane/'],
  },
  {
    name: 'nobody looks for what the last launch made once its Machine goes',
    file: 'kinds/aws-machine/provision.ts',
    find: 'return launch ? whatCameOf(launch, snapshot, now) : {};',
    replace: 'return {};',
    suites: ['test/aws/aws-machine'],
  },
  {
    name: 'the leader of etcd leaves without handing over',
    file: 'kinds/kubeadm-control-plane/etcd.ts',
    find: 'etcd.leader !== own.id',
    replace: 'etcd.leader === own.id',
    suites: ['kinds/kubeadm-control-plane/etcd'],
  },
  {
    name: 'a control plane that lost all machines initialises a second cluster',
    file: 'kinds/kubeadm-control-plane/scale.ts',
    find: 'createMachine(controlPlane, !isInitialized(controlPlane), context)',
    replace: 'createMachine(controlPlane, true, context)',
    suites: ['kinds/kubeadm-control-plane/scale'],
  },
  {
    name: 'a control plane rolls out with one machine more than its surge',
    file: 'kinds/kubeadm-control-plane/rollout.ts',
    find: 'controlPlane.members.length < most ?',
    replace: 'controlPlane.members.length <= most ?',
    suites: ['kinds/kubeadm-control-plane/rollout'],
  },
  {
    name: 'the only control plane machine is replaced by deleting it',
    file: 'kinds/kubeadm-control-plane/remediation.ts',
    find: 'desiredReplicas(controlPlane) <= 1 || members.length <= 1',
    replace: 'desiredReplicas(controlPlane) < 1 || members.length < 1',
    suites: ['kinds/kubeadm-control-plane/'],
  },
  {
    name: 'a machine is remediated once more than maxRetry',
    file: 'kinds/kubeadm-control-plane/remediation.ts',
    find: 'previous.retryCount >= maxRetry',
    replace: 'previous.retryCount > maxRetry',
    suites: ['kinds/kubeadm-control-plane/remediation'],
  },
  {
    name: 'an administrator certificate is renewed after its end',
    file: 'kinds/kubeadm-control-plane/kubeconfig-secret.ts',
    find: 'expiry - renewalMs',
    replace: 'expiry + renewalMs',
    suites: ['kinds/kubeadm-control-plane/upkeep'],
  },
  {
    name: 'what is made is signed by authorities that are about to be collected',
    file: 'kinds/kubeadm-control-plane/reconcile.ts',
    find: '  waitForLeftOvers,\n  ensureCertificates,',
    replace: '  ensureCertificates,',
    suites: ['upkeep', 'delete', 'reconcile'].map((name) => `kinds/kubeadm-control-plane/${name}`),
  },
  {
    name: 'two machines initialise the cluster',
    file: 'kinds/kubeadm-config/reconcile.ts',
    find: "if (lock.state === 'found' && holder !== name) {",
    replace: "if (lock.state === 'found' && holder === '') {",
    suites: ['kinds/kubeadm-config/'],
  },
  {
    name: 'the lock of a machine that is gone is waited for',
    file: 'kinds/kubeadm-config/reconcile.ts',
    find: "if (holder === undefined || lockHolder?.state === 'absent')",
    replace: 'if (holder === undefined)',
    suites: ['kinds/kubeadm-config/'],
  },
];

const cluster: Mutant[] = [
  {
    name: 'the network is deleted before the control plane',
    file: 'kinds/cluster/delete.ts',
    find: `    waitForControlPlaneMachines(descendants) ??
    waitFor(observed.infrastructure, 'WaitingForInfrastructureDeletion') ?? {`,
    replace: `    waitFor(observed.infrastructure, 'WaitingForInfrastructureDeletion') ??
    waitForControlPlaneMachines(descendants) ?? {`,
    suites: ['kinds/cluster/'],
  },
  {
    name: 'a part of a cluster that cannot be read counts as gone',
    file: 'kinds/cluster/delete.ts',
    find: "if (!read || read.state === 'absent') return undefined;",
    replace: "if (read?.state !== 'found') return undefined;",
    suites: ['kinds/cluster/'],
  },
  {
    name: 'the control plane is deleted before the workers',
    file: 'kinds/cluster/delete.ts',
    find: 'if (left.length === 0) return undefined;',
    replace: 'if (descendants.machineDeployments.length === 0) return undefined;',
    suites: ['kinds/cluster/'],
  },
];

export const reconcilerMutants: readonly Mutant[] = [...sets, ...machines, ...controlPlane, ...cluster];
