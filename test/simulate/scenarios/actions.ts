/** The actions of a cluster's users. */

import type { MachineSet } from '../../../kinds/core/machine-set/index.ts';
import type { AWSMachine } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import { applyAll, controlPlane, deployment, type Scene, workersOf } from './context.ts';
import { bringAuthorities } from './control-plane/certificates.ts';
import { ailComponent } from './control-plane/component-failures.ts';
import { keepDns } from './control-plane/coredns.ts';
import { replaceFirstMachine } from './control-plane/initialization.ts';
import { keepAddOns, renewDns } from './control-plane/kubeadm-add-ons.ts';
import { silenceControlPlane } from './control-plane/unreachable.ts';
import { equipWorkers } from './machines/bootstrap-options.ts';
import { chooseBesideIll } from './machines/delete-machine.ts';
import { deleteNode } from './machines/deleted-node.ts';
import { addressWorkers } from './machines/elastic-ips.ts';
import { editTags, interruptInstance, loseMember, loseQuorum, loseZone } from './machines/failures.ts';
import { findControlPlaneIll, findIll, findWorkersIll } from './machines/health-checks.ts';
import { launchOtherwise } from './machines/launch-options.ts';
import { pressNode } from './machines/node-pressure.ts';
import { gateWorkers } from './machines/readiness-gates.ts';
import { setAside } from './machines/released-machine.ts';
import { haveOthers } from './machines/second-deployment.ts';
import { makeMachine } from './machines/standalone-machine.ts';
import { makeSet } from './machines/standalone-set.ts';
import { stopInstance } from './machines/stopped-instance.ts';
import { taintWorkers } from './machines/taints.ts';
import { deleteMachineWithVolumes } from './machines/volumes.ts';
import {
  changeMind,
  labelControlPlane,
  limitTime,
  moveWorkers,
  outliveCertificates,
  pauseWorkers,
  renewKubeconfig,
  replaceByHand,
  rollControlPlane,
  rollWorkersByDate,
  upgradeMinor,
} from './maintenance.ts';
import { haveAnotherZone } from './network/added-zone.ts';
import { logIn } from './network/bastion.ts';
import { changeByHand } from './network/drift.ts';
import { openNetwork } from './network/ingress-rules.ts';
import { changeBalancerByHand } from './network/load-balancer-drift.ts';
import { changeBalancer } from './network/load-balancers.ts';
import { createWithMore } from './network/with-options.ts';
import { gateCluster } from './operations/availability-gates.ts';
import { deleteDespite } from './operations/blocked-deletion.ts';
import { createTooLate, sleepThroughDeadline } from './operations/deadline.ts';
import {
  deleteAndCreateAgain,
  deleteControlPlane,
  deleteControlPlaneMachine,
  deletePartsFirst,
  deleteSecret,
  deleteSetOfWorkers,
  deleteTemplate,
  leaveBehind,
  stripControlPlaneMachine,
} from './operations/deletions.ts';
import {
  cancelOperation,
  crashTask,
  denyAccess,
  doubleToken,
  loseToken,
  stopExecution,
  stripFinalizer,
} from './operations/outside-changes.ts';
import { createInPart } from './operations/partial-creation.ts';
import { pausePart } from './operations/paused-object.ts';
import { giveUpHost, leaveOver } from './ownership/orphans.ts';
import { takeOwnerAway } from './ownership/owner-references.ts';
import { restoreFromBackup } from './ownership/restore.ts';
import { editSelection } from './ownership/selectors.ts';
import { askForTags } from './ownership/tags.ts';
import {
  chooseWhoGoes,
  deleteBusyMachine,
  holdMachine,
  labelWorkers,
  putIntoCluster,
  readEverything,
  sayWhoGoesFirst,
  writeAsRead,
} from './requests.ts';
import { scaleMidRollout } from './rollout/paused.ts';
import { takeRolloutBack } from './rollout/rollback.ts';
import { clusterBeside } from './second-cluster.ts';
import { putOwnKind } from './workload/custom-resource.ts';

const minute = 60_000;

export const newest = 'v1.36.0';
const upgradeControlPlane = async (scene: Scene) => {
  const { wish, client } = scene;
  wish.version = wish.version === 'v1.35.0' ? 'v1.35.1' : newest;
  const answer = await client.patch('KubeadmControlPlane', controlPlane(scene), { spec: { version: wish.version } });
  if (answer.code >= 300) throw new Error(`the version is refused: ${answer.body.message}`);
};

const upgradeWorkers = async (scene: Scene) => {
  const { wish, client } = scene;
  wish.workerVersion = wish.version;
  await client.patch('MachineDeployment', deployment(scene), {
    spec: { template: { spec: { version: wish.workerVersion } } },
  });
};
const minorOf = (version: string) => version.split('.')[1];

export const actions = {
  'scale workers': async (scene: Scene) => {
    scene.wish.workers = scene.draw.whole(0, 3);
    await scene.client.scale('MachineDeployment', deployment(scene), scene.wish.workers);
  },
  'scale control plane': async (scene: Scene) => {
    scene.wish.controlPlanes = scene.wish.controlPlanes === 1 ? 3 : 1;
    await scene.client.scale('KubeadmControlPlane', controlPlane(scene), scene.wish.controlPlanes);
  },
  'roll workers': async (scene: Scene) => {
    scene.wish.instanceType = scene.wish.instanceType === 't3.large' ? 'm5.large' : 't3.large';
    await applyAll(scene);
  },
  'upgrade the control plane': async (scene: Scene) => {
    await upgradeControlPlane(scene);
    // Replacements of this worker must wait for the upgrade to end.
    const [machine] = workersOf(scene);
    if (machine && scene.draw.chance(0.6)) {
      const isIll = scene.draw.chance(0.5);
      await sleep(
        scene.clock,
        isIll ? scene.draw.spread(3 * minute, 12 * minute) : scene.draw.spread(minute, 6 * minute),
      );
      if (isIll) await findIll(scene, machine);
      else await scene.client.remove('Machine', machine.metadata.name);
    }
    // Workers of another minor version cannot join, so a deleted one could not be replaced.
    if (minorOf(scene.wish.version) !== minorOf(scene.wish.workerVersion)) await upgradeWorkers(scene);
  },
  upgrade: async (scene: Scene) => {
    await upgradeControlPlane(scene);
    if (scene.draw.chance(0.5)) await scene.settled(90);
    await upgradeWorkers(scene);
  },
  pause: async (scene: Scene) => {
    const { client, wish, draw, world } = scene;
    await client.patch('Cluster', wish.name, { spec: { paused: true } });
    await sleep(scene.clock, draw.spread(10_000, 3 * 60 * minute));
    // During the pause requests wait. Afterwards the set is scaled back to what its deployment wants.
    const isOf = ({ metadata }: KubeObject) =>
      metadata.labels?.['cluster.x-k8s.io/deployment-name'] === deployment(scene) && metadata.namespace === 'default';
    const set = world.mirror.all<MachineSet>('MachineSet').find(isOf);
    if (set && draw.chance(0.7)) await client.scale('MachineSet', set.metadata.name, (set.spec?.replicas ?? 0) + 1);
    await sleep(scene.clock, draw.spread(10_000, 3 * 60 * minute));
    await client.patch('Cluster', wish.name, { spec: { paused: false } });
  },
  'delete a machine': async (scene: Scene) => {
    const machines = workersOf(scene);
    if (machines.length > 0) await scene.client.remove('Machine', scene.draw.pick(machines).metadata.name);
  },
  'end an instance': async (scene: Scene) => {
    const machines = workersOf(scene);
    if (machines.length === 0) return;
    const machine = scene.draw.pick(machines);
    const { name } = machine.metadata;
    const infrastructure = scene.world.mirror.get<AWSMachine>(
      'AWSMachine',
      'default',
      machine.spec?.infrastructureRef?.name ?? '',
    );
    const id = infrastructure?.spec?.instanceID;
    if (!id || !scene.world.account.list().some((one) => one.id === id && one.state === 'running')) return;
    scene.world.account.terminate(id);
    await sleep(scene.clock, scene.draw.spread(1000, 30 * minute));
    await scene.client.remove('Machine', name);
  },
  'lose a zone': loseZone,
  'interrupt a spot instance': interruptInstance,
  'lose an etcd member': loseMember,
  'lose the quorum': loseQuorum,
  'edit tags': editTags,
  'change the network by hand': changeByHand,
  'apply again and again': async (scene: Scene) => {
    const until = scene.clock.now() + scene.draw.spread(10_000, 3 * minute);
    const every = scene.draw.spread(3000, 30_000);
    while (scene.clock.now() < until) {
      await applyAll(scene);
      await sleep(scene.clock, every);
    }
  },
  'delete the deployment and apply it again': async (scene: Scene) => {
    const { client, clock, draw } = scene;
    await client.remove('MachineDeployment', deployment(scene));
    await sleep(clock, draw.spread(1000, 20 * minute));
    while ((await client.get('MachineDeployment', deployment(scene))).code !== 404) await sleep(clock, 20_000);
    await applyAll(scene);
  },
  'delete the infrastructure of a machine': async (scene: Scene) => {
    const machines = workersOf(scene);
    if (machines.length === 0) return;
    const { metadata, spec } = scene.draw.pick(machines);
    await scene.client.remove('AWSMachine', spec?.infrastructureRef?.name ?? metadata.name);
    await sleep(scene.clock, scene.draw.spread(1000, 20 * minute));
    await scene.client.remove('Machine', metadata.name);
  },
  'cancel the operation': cancelOperation,
  'want what there is not, then repair': async (scene: Scene) => {
    const { client, clock, draw, wish } = scene;
    const instanceType = wish.instanceType;
    wish.instanceType = 'x9.imagined';
    await applyAll(scene);
    // Sometimes longer than a join token lives.
    await sleep(clock, draw.chance(0.3) ? draw.whole(20, 40) * minute : draw.spread(1000, 40 * minute));
    wish.instanceType = instanceType;
    await applyAll(scene);
    await client.remove('AWSMachineTemplate', `${wish.name}-x9.imagined`);
  },
  'delete and create again': deleteAndCreateAgain,
  'lose a token': loseToken,
  'answer a token twice': doubleToken,
  'crash a task': crashTask,
  'stop the execution': stopExecution,
  'deny access': denyAccess,
  'strip a finalizer': stripFinalizer,
  'label the workers': labelWorkers,
  'taint the workers': taintWorkers,
  'hold a machine that goes': holdMachine,
  'choose who goes': chooseWhoGoes,
  'say who goes first': sayWhoGoesFirst,
  'delete a machine with pods on it': deleteBusyMachine,
  'take the owner away': takeOwnerAway,
  'put something into the cluster': putIntoCluster,
  'write what was read': writeAsRead,
  'read everything': readEverything,
  'have a cluster beside it': clusterBeside,
  'roll the control plane': rollControlPlane,
  'outlive certificates': outliveCertificates,
  'renew the kubeconfig': renewKubeconfig,
  'label the control plane': labelControlPlane,
  'roll workers by date': rollWorkersByDate,
  'pause the workers': pauseWorkers,
  'limit the time': limitTime,
  'change the number, and change it back': changeMind,
  'upgrade by a minor version': upgradeMinor,
  'delete parts first': deletePartsFirst,
  'delete the control plane, then the rest': deleteControlPlane,
  'delete a template': deleteTemplate,
  'delete a secret': deleteSecret,
  'delete a set of workers': deleteSetOfWorkers,
  'delete a machine of the control plane': deleteControlPlaneMachine,
  'find a machine ill': findControlPlaneIll,
  'find workers ill': findWorkersIll,
  'delete a machine with volumes on it': deleteMachineWithVolumes,
  'strip a machine of the control plane': stripControlPlaneMachine,
  'replace workers by hand': replaceByHand,
  'make a machine': makeMachine,
  'move the workers': moveWorkers,
  'give workers addresses': addressWorkers,
  'log in': logIn,
  'delete what something is in the way of': deleteDespite,
  'restore from a backup': restoreFromBackup,
  'create it too late': createTooLate,
  'create it in part': createInPart,
  'give workers more to boot with': equipWorkers,
  'pause a rollout, and scale it': scaleMidRollout,
  'press a node': pressNode,
  'gate the workers': gateWorkers,
  'make a set of machines': makeSet,
  'have other workers': haveOthers,
  'open the network': openNetwork,
  'ask for other tags': askForTags,
  'set a machine aside': setAside,
  'pause a part': pausePart,
  'change the load balancer': changeBalancer,
  'change the load balancer by hand': changeBalancerByHand,
  'create it with more': createWithMore,
  'bring the authorities': bringAuthorities,
  'ail a component': ailComponent,
  'stop an instance': stopInstance,
  'launch workers otherwise': launchOtherwise,
  'silence the control plane': silenceControlPlane,
  'gate the cluster': gateCluster,
  'look after add-ons': keepAddOns,
  'renew the DNS': renewDns,
  'keep the DNS': keepDns,
  'take a rollout back': takeRolloutBack,
  'put a kind of its own into the cluster': putOwnKind,
  'choose who goes beside one that is ill': chooseBesideIll,
  'have another zone': haveAnotherZone,
  'delete a node': deleteNode,
  'replace the first machine': replaceFirstMachine,
  'leave machines behind': leaveBehind,
  'sleep through a deadline': sleepThroughDeadline,
  'give up a host': giveUpHost,
  'leave something over': leaveOver,
  'edit what machines are found by': editSelection,
} satisfies Record<string, (scene: Scene) => Promise<void>>;
export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as ActionName[];
