/** The actions of a cluster's users. */

import type { MachineSet } from '../../../kinds/core/machine-set/index.ts';
import type { AWSMachine } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import { applyAll, controlPlane, deployment, type ScenarioContext, workersOf } from './context.ts';
import { provideAuthorities } from './control-plane/certificates.ts';
import { failComponent } from './control-plane/component-failures.ts';
import { maintainCoreDns } from './control-plane/coredns.ts';
import { replaceFirstMachine } from './control-plane/initialization.ts';
import { maintainAddOns, upgradeCoreDns } from './control-plane/kubeadm-add-ons.ts';
import { silenceControlPlane } from './control-plane/unreachable.ts';
import { addBootstrapOptions } from './machines/bootstrap-options.ts';
import { chooseBesideUnhealthy } from './machines/delete-machine.ts';
import { deleteNode } from './machines/deleted-node.ts';
import { givePublicAddresses } from './machines/elastic-ips.ts';
import { editTags, interruptInstance, loseMember, loseQuorum, loseZone } from './machines/failures.ts';
import { markControlPlaneUnhealthy, markUnhealthy, markWorkersUnhealthy } from './machines/health-checks.ts';
import { setLaunchOptions } from './machines/launch-options.ts';
import { pressureNode } from './machines/node-pressure.ts';
import { gateWorkers } from './machines/readiness-gates.ts';
import { releaseMachine } from './machines/released-machine.ts';
import { createSecondDeployment } from './machines/second-deployment.ts';
import { createStandaloneMachine } from './machines/standalone-machine.ts';
import { createStandaloneSet } from './machines/standalone-set.ts';
import { stopInstance } from './machines/stopped-instance.ts';
import { taintWorkers } from './machines/taints.ts';
import { deleteMachineWithVolumes } from './machines/volumes.ts';
import {
  labelControlPlane,
  moveWorkers,
  outliveCertificates,
  pauseWorkers,
  renewKubeconfig,
  replaceManually,
  rollControlPlane,
  rollWorkersByDate,
  scaleUpAndBack,
  setDrainTimeout,
  upgradeMinor,
} from './maintenance.ts';
import { addZone } from './network/added-zone.ts';
import { enableBastion } from './network/bastion.ts';
import { changeManually } from './network/drift.ts';
import { changeIngress } from './network/ingress-rules.ts';
import { changeBalancerManually } from './network/load-balancer-drift.ts';
import { changeBalancer } from './network/load-balancers.ts';
import { createWithOptions } from './network/with-options.ts';
import { gateCluster } from './operations/availability-gates.ts';
import { deleteBlocked } from './operations/blocked-deletion.ts';
import { missDeadline, sleepThroughDeadline } from './operations/deadline.ts';
import {
  deleteAndCreateAgain,
  deleteControlPlane,
  deleteControlPlaneMachine,
  deletePartsFirst,
  deleteSecret,
  deleteSetOfWorkers,
  deleteTemplate,
  orphanMachines,
  removeMachineMetadata,
} from './operations/deletions.ts';
import {
  cancelOperation,
  crashTask,
  denyAccess,
  loseToken,
  removeFinalizer,
  startTaskTwice,
  stopExecution,
} from './operations/outside-changes.ts';
import { createPartially } from './operations/partial-creation.ts';
import { pauseObject } from './operations/paused-object.ts';
import { leaveOrphan, releaseHost } from './ownership/orphans.ts';
import { removeOwner } from './ownership/owner-references.ts';
import { restoreFromBackup } from './ownership/restore.ts';
import { editSelection } from './ownership/selectors.ts';
import { requestTags } from './ownership/tags.ts';
import {
  applyResourceSet,
  chooseMachineToDelete,
  deleteBusyMachine,
  holdMachine,
  labelWorkers,
  readEverything,
  setDeletionOrder,
  writeBack,
} from './requests.ts';
import { scaleMidRollout } from './rollout/paused.ts';
import { rollBack } from './rollout/rollback.ts';
import { createSecondCluster } from './second-cluster.ts';
import { createCustomResource } from './workload/custom-resource.ts';

const minute = 60_000;

export const newest = 'v1.36.0';
const upgradeControlPlane = async (context: ScenarioContext) => {
  const { desired, client } = context;
  desired.version = desired.version === 'v1.35.0' ? 'v1.35.1' : newest;
  const answer = await client.patch('KubeadmControlPlane', controlPlane(context), {
    spec: { version: desired.version },
  });
  if (answer.code >= 300) throw new Error(`the version is refused: ${answer.body.message}`);
};

const upgradeWorkers = async (context: ScenarioContext) => {
  const { desired, client } = context;
  desired.workerVersion = desired.version;
  await client.patch('MachineDeployment', deployment(context), {
    spec: { template: { spec: { version: desired.workerVersion } } },
  });
};
const minorOf = (version: string) => version.split('.')[1];

export const actions = {
  'scale workers': async (context: ScenarioContext) => {
    context.desired.workers = context.draw.whole(0, 3);
    await context.client.scale('MachineDeployment', deployment(context), context.desired.workers);
  },
  'scale control plane': async (context: ScenarioContext) => {
    context.desired.controlPlanes = context.desired.controlPlanes === 1 ? 3 : 1;
    await context.client.scale('KubeadmControlPlane', controlPlane(context), context.desired.controlPlanes);
  },
  'roll workers': async (context: ScenarioContext) => {
    context.desired.instanceType = context.desired.instanceType === 't3.large' ? 'm5.large' : 't3.large';
    await applyAll(context);
  },
  'upgrade the control plane': async (context: ScenarioContext) => {
    await upgradeControlPlane(context);
    // Replacements of this worker must wait for the upgrade to end.
    const [machine] = workersOf(context);
    if (machine && context.draw.chance(0.6)) {
      const isIll = context.draw.chance(0.5);
      await sleep(
        context.clock,
        isIll ? context.draw.spread(3 * minute, 12 * minute) : context.draw.spread(minute, 6 * minute),
      );
      if (isIll) await markUnhealthy(context, machine);
      else await context.client.remove('Machine', machine.metadata.name);
    }
    // Workers of another minor version cannot join, so a deleted one could not be replaced.
    if (minorOf(context.desired.version) !== minorOf(context.desired.workerVersion)) await upgradeWorkers(context);
  },
  upgrade: async (context: ScenarioContext) => {
    await upgradeControlPlane(context);
    if (context.draw.chance(0.5)) await context.settled(90);
    await upgradeWorkers(context);
  },
  pause: async (context: ScenarioContext) => {
    const { client, desired, draw, world } = context;
    await client.patch('Cluster', desired.name, { spec: { paused: true } });
    await sleep(context.clock, draw.spread(10_000, 3 * 60 * minute));
    // During the pause requests wait. Afterwards the set is scaled back to what its deployment
    // wants.
    const isOf = ({ metadata }: KubeObject) =>
      metadata.labels?.['cluster.x-k8s.io/deployment-name'] === deployment(context) && metadata.namespace === 'default';
    const set = world.mirror.all<MachineSet>('MachineSet').find(isOf);
    if (set && draw.chance(0.7)) await client.scale('MachineSet', set.metadata.name, (set.spec?.replicas ?? 0) + 1);
    await sleep(context.clock, draw.spread(10_000, 3 * 60 * minute));
    await client.patch('Cluster', desired.name, { spec: { paused: false } });
  },
  'delete a machine': async (context: ScenarioContext) => {
    const machines = workersOf(context);
    if (machines.length > 0) await context.client.remove('Machine', context.draw.pick(machines).metadata.name);
  },
  'terminate an instance': async (context: ScenarioContext) => {
    const machines = workersOf(context);
    if (machines.length === 0) return;
    const machine = context.draw.pick(machines);
    const { name } = machine.metadata;
    const infrastructure = context.world.mirror.get<AWSMachine>(
      'AWSMachine',
      'default',
      machine.spec?.infrastructureRef?.name ?? '',
    );
    const id = infrastructure?.spec?.instanceID;
    if (!id || !context.world.account.list().some((one) => one.id === id && one.state === 'running')) return;
    context.world.account.terminate(id);
    await sleep(context.clock, context.draw.spread(1000, 30 * minute));
    await context.client.remove('Machine', name);
  },
  'lose a zone': loseZone,
  'interrupt a spot instance': interruptInstance,
  'lose an etcd member': loseMember,
  'lose the quorum': loseQuorum,
  'edit tags': editTags,
  'change AWS resources manually': changeManually,
  'apply repeatedly': async (context: ScenarioContext) => {
    const until = context.clock.now() + context.draw.spread(10_000, 3 * minute);
    const every = context.draw.spread(3000, 30_000);
    while (context.clock.now() < until) {
      await applyAll(context);
      await sleep(context.clock, every);
    }
  },
  'delete the deployment and apply it again': async (context: ScenarioContext) => {
    const { client, clock, draw } = context;
    await client.remove('MachineDeployment', deployment(context));
    await sleep(clock, draw.spread(1000, 20 * minute));
    while ((await client.get('MachineDeployment', deployment(context))).code !== 404) await sleep(clock, 20_000);
    await applyAll(context);
  },
  'delete the infrastructure of a machine': async (context: ScenarioContext) => {
    const machines = workersOf(context);
    if (machines.length === 0) return;
    const { metadata, spec } = context.draw.pick(machines);
    await context.client.remove('AWSMachine', spec?.infrastructureRef?.name ?? metadata.name);
    await sleep(context.clock, context.draw.spread(1000, 20 * minute));
    await context.client.remove('Machine', metadata.name);
  },
  'cancel the operation': cancelOperation,
  'request an unknown instance type, then repair': async (context: ScenarioContext) => {
    const { client, clock, draw, desired } = context;
    const instanceType = desired.instanceType;
    desired.instanceType = 'x9.imagined';
    await applyAll(context);
    // Sometimes longer than a join token lives.
    await sleep(clock, draw.chance(0.3) ? draw.whole(20, 40) * minute : draw.spread(1000, 40 * minute));
    desired.instanceType = instanceType;
    await applyAll(context);
    await client.remove('AWSMachineTemplate', `${desired.name}-x9.imagined`);
  },
  'delete and create again': deleteAndCreateAgain,
  'lose a token': loseToken,
  'start a task twice': startTaskTwice,
  'crash a task': crashTask,
  'stop the execution': stopExecution,
  'deny access': denyAccess,
  'remove a finalizer': removeFinalizer,
  'label the workers': labelWorkers,
  'taint the workers': taintWorkers,
  'hold a machine in deletion': holdMachine,
  'choose the machine to delete': chooseMachineToDelete,
  'set the deletion order': setDeletionOrder,
  'delete a machine with pods on it': deleteBusyMachine,
  'remove the owner': removeOwner,
  'apply a resource set': applyResourceSet,
  'write back what was read': writeBack,
  'read everything': readEverything,
  'create a second cluster': createSecondCluster,
  'roll the control plane': rollControlPlane,
  'outlive certificates': outliveCertificates,
  'renew the kubeconfig': renewKubeconfig,
  'label the control plane': labelControlPlane,
  'roll workers by date': rollWorkersByDate,
  'pause the workers': pauseWorkers,
  'set a drain timeout': setDrainTimeout,
  'scale up, and back at once': scaleUpAndBack,
  'upgrade by a minor version': upgradeMinor,
  'delete parts first': deletePartsFirst,
  'delete the control plane, then the rest': deleteControlPlane,
  'delete a template': deleteTemplate,
  'delete a secret': deleteSecret,
  'delete a set of workers': deleteSetOfWorkers,
  'delete a machine of the control plane': deleteControlPlaneMachine,
  'mark a control plane machine unhealthy': markControlPlaneUnhealthy,
  'mark workers unhealthy': markWorkersUnhealthy,
  'delete a machine with volumes on it': deleteMachineWithVolumes,
  'remove metadata of a control plane machine': removeMachineMetadata,
  'replace workers manually': replaceManually,
  'create a standalone machine': createStandaloneMachine,
  'move the workers': moveWorkers,
  'give workers public addresses': givePublicAddresses,
  'enable the bastion': enableBastion,
  'delete a blocked cluster': deleteBlocked,
  'restore from a backup': restoreFromBackup,
  'miss the creation deadline': missDeadline,
  'create a part of the cluster': createPartially,
  'add bootstrap options': addBootstrapOptions,
  'scale a paused rollout': scaleMidRollout,
  'put a node under pressure': pressureNode,
  'gate the workers': gateWorkers,
  'create a standalone set': createStandaloneSet,
  'create a second deployment': createSecondDeployment,
  'change ingress rules': changeIngress,
  'request other tags': requestTags,
  'release a machine': releaseMachine,
  'pause one object': pauseObject,
  'change the load balancer': changeBalancer,
  'change the load balancer manually': changeBalancerManually,
  'create with optional settings': createWithOptions,
  'provide the certificate authorities': provideAuthorities,
  'fail a component': failComponent,
  'stop an instance': stopInstance,
  'set launch options': setLaunchOptions,
  'silence the control plane': silenceControlPlane,
  'gate the cluster': gateCluster,
  'maintain the add-ons': maintainAddOns,
  'upgrade CoreDNS': upgradeCoreDns,
  'maintain CoreDNS': maintainCoreDns,
  'roll back': rollBack,
  'create a custom resource': createCustomResource,
  'choose a machine beside an unhealthy one': chooseBesideUnhealthy,
  'add a zone': addZone,
  'delete a node': deleteNode,
  'replace the first machine': replaceFirstMachine,
  'orphan machines': orphanMachines,
  'sleep through a deadline': sleepThroughDeadline,
  'release a host': releaseHost,
  'leave an orphaned resource': leaveOrphan,
  'edit selectors': editSelection,
} satisfies Record<string, (context: ScenarioContext) => Promise<void>>;
export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as ActionName[];
