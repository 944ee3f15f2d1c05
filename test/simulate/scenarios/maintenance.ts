/**
 * What users do over the years of a cluster: replacements of control plane machines, timeouts,
 * pauses, certificates.
 */

import { annotations } from '../../../kinds/common/labels.ts';
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import { adminKubeconfig } from '../../../kinds/core/contract/kubeconfig.ts';
import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../kinds/core/machine-deployment/index.ts';
import type { MachineSet } from '../../../kinds/core/machine-set/index.ts';
import type { AWSMachine } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Secret } from '../../../kinds/kubernetes/secret/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import { quickPki } from '../../system/pki.ts';
import { defaultRegistry } from '../invariants/control-plane/kubeadm.ts';
import { Violation } from '../invariants/rule.ts';
import { applyAll, controlPlane, controlPlanesOf, deployment, type ScenarioContext, workersOf } from './context.ts';
import { areGone, comes } from './progress.ts';
import { busyWith, changeInPlace } from './requests.ts';
import { within } from './workload/kubeconfig.ts';

const minute = 60_000;
const accepted = async (answer: Promise<{ code: number; body: { message?: string } }>) => {
  const { code, body } = await answer;
  if (code >= 300) throw new Error(`a user is refused: ${body.message}`);
};
const soon = ({ clock, draw }: ScenarioContext) => new Date(clock.now() + draw.spread(1000, 30 * minute)).toISOString();

/** Removes the taints of the control plane Nodes, as users do who run workloads there. */
const openNodes = async (context: ScenarioContext) => {
  for (const { status } of controlPlanesOf(context)) {
    const patch = { spec: { taints: null } };
    const node = { apiVersion: 'v1', kind: 'Node', name: status?.nodeRef?.name ?? '', patch };
    // An unreachable cluster keeps them.
    await within(context, 'patch', node).catch(() => undefined);
  }
  await sleep(context.clock, context.draw.spread(minute, 20 * minute));
};

/** One of several reasons requires the replacement of every control plane machine. */
export const rollControlPlane = async (context: ScenarioContext) => {
  const { client, draw, settled, desired, world } = context;
  await settled(60);
  const patch = (spec: object) => accepted(client.patch('KubeadmControlPlane', controlPlane(context), { spec }));
  const reasons = {
    template: async () => {
      const name = `${controlPlane(context)}-${draw.whole(1, 1_000_000)}`;
      const { apiVersion, kind, spec } = world.mirror.get<KubeObject<{ template: { spec: object } }>>(
        'AWSMachineTemplate',
        'default',
        controlPlane(context),
      )!;
      const template = { spec: { ...spec!.template.spec, instanceType: 'm5.large' } };
      await client.apply({ apiVersion, kind, metadata: { name, namespace: 'default' }, spec: { template } });
      await patch({ machineTemplate: { spec: { infrastructureRef: { name } } } });
    },
    configuration: () => {
      const extraArgs = [{ name: 'v', value: String(draw.whole(1, 9)) }];
      const etcd = { local: { extraArgs: [{ name: 'quota-backend-bytes', value: '8589934592' }] } };
      return patch({ kubeadmConfigSpec: { clusterConfiguration: { scheduler: { extraArgs }, etcd } } });
    },
    // CoreDNS and kube-proxy use the repository too.
    images: () => {
      const other = `registry-${draw.whole(1, 9)}.example.com/kubernetes`;
      // Some users name the default registry explicitly.
      const imageRepository = draw.chance(0.5) ? defaultRegistry : other;
      return patch({ kubeadmConfigSpec: { clusterConfiguration: { imageRepository } } });
    },
    gates: () => {
      const featureGates = { NodeLocalCRISocket: draw.chance(0.5), RootlessControlPlane: draw.whole(1, 99) % 2 === 0 };
      return patch({ kubeadmConfigSpec: { clusterConfiguration: { featureGates } } });
    },
    date: () => patch({ rollout: { after: soon(context) } }),
  };
  const reason = draw.pick(Object.keys(reasons) as (keyof typeof reasons)[]);
  // Three machines allow a rollout without surge.
  const isWithoutSurge = desired.controlPlanes === 3 && draw.chance(0.6);
  const strategy = (maxSurge: number) => patch({ rollout: { strategy: { rollingUpdate: { maxSurge } } } });
  if (isWithoutSurge) await strategy(0);
  if (draw.chance(0.3)) await openNodes(context);
  const machines = controlPlanesOf(context).filter(({ metadata }) => !metadata.deletionTimestamp);
  await reasons[reason]();
  await comes(context, `that ${reason} replaces machines of the control plane`, areGone(context, machines));
  if (isWithoutSurge) await strategy(1);
};

/** The certificates expire soon, according to the annotation. */
export const outliveCertificates = async (context: ScenarioContext) => {
  const { client, clock, draw, settled } = context;
  await settled(60);
  const machines = controlPlanesOf(context).filter(
    ({ metadata, status }) => !metadata.deletionTimestamp && status?.nodeRef,
  );
  if (machines.length === 0) return;
  const machine = draw.pick(machines);
  const end = new Date(clock.now() + draw.whole(1, 20) * 24 * 60 * minute).toISOString();
  await client.patch('Machine', machine.metadata.name, {
    metadata: { annotations: { 'machine.cluster.x-k8s.io/certificates-expiry': end } },
  });
  const before = { certificatesExpiryDays: 30 };
  await accepted(client.patch('KubeadmControlPlane', controlPlane(context), { spec: { rollout: { before } } }));
  await comes(
    context,
    `the replacement of ${machine.metadata.name}, whose certificates expire`,
    areGone(context, [machine]),
  );
};

/**
 * A kubeconfig that a user provides stays as it is, however soon it expires, until the user deletes
 * it.
 */
const provideKubeconfig = async (
  { client, clock, draw, desired, world }: ScenarioContext,
  name: string,
  value: string,
) => {
  const pause = (paused: boolean) => client.patch('Cluster', desired.name, { spec: { paused } });
  await pause(true);
  // Passes that began before the pause have ended by then.
  await sleep(clock, 3 * minute);
  await client.remove('Secret', name);
  const labels = { 'cluster.x-k8s.io/cluster-name': desired.name };
  const metadata = { name, namespace: 'default', ...(draw.chance(0.5) && { labels }) };
  const applied = await client.apply({ apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: { value } });
  await pause(false);
  await sleep(clock, draw.spread(10 * minute, 26 * 60 * minute));
  const { data } = world.mirror.get<Secret>('Secret', 'default', name) ?? {};
  if (applied.code < 300 && (data as Record<string, string> | undefined)?.value !== value)
    throw new Violation('upkeep', `${name}, which a user provided, is ${data ? 'replaced' : 'gone'}`);
  await client.remove('Secret', name);
};

/** The kubeconfig is missing or expires soon, so Capstan creates a new one. */
export const renewKubeconfig = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world, desired } = context;
  await settled(60);
  const name = `${desired.name}-kubeconfig`;
  const find = () => world.mirror.get<Secret>('Secret', 'default', name);
  const before = find();
  const textOf = (purpose: string, key: string) =>
    Buffer.from(
      (
        (world.mirror.get<Secret>('Secret', 'default', `${desired.name}-${purpose}`)?.data ?? {}) as Record<
          string,
          string
        >
      )[key] ?? '',
      'base64',
    ).toString();
  const [caCertificate, caKey] = [textOf('ca', 'tls.crt'), textOf('ca', 'tls.key')];
  const { host, port } =
    world.mirror.get<Cluster>('Cluster', 'default', desired.name)?.spec?.controlPlaneEndpoint ?? {};
  if (!before || !caKey || !host) return;
  let replaced = (before.data as Record<string, string>).value;
  if (draw.chance(0.5)) await client.remove('Secret', name);
  else {
    const pair = await quickPki().read('clientCertificate', {
      commonName: 'kubernetes-admin',
      organizations: ['system:masters'],
      days: draw.whole(20, 150),
      algorithm: 'ECDSA-P256',
      caCertificate,
      caKey,
      now: clock.now(),
    });
    const text = adminKubeconfig({ cluster: desired.name, server: `https://${host}:${port}`, caCertificate, ...pair });
    replaced = Buffer.from(text).toString('base64');
    if (draw.chance(0.5)) await provideKubeconfig(context, name, replaced);
    else await client.patch('Secret', name, { data: { value: replaced } });
  }
  await comes(context, 'a new kubeconfig', () => {
    const now = find();
    return now !== undefined && (now.data as Record<string, string>).value !== replaced;
  });
};

const label = 'node.cluster.x-k8s.io/of';
const predrain = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/user';
const isLabelled =
  (value: string | null) =>
  ({ metadata }: Machine): boolean =>
    metadata.deletionTimestamp !== undefined || (metadata.labels?.[label] ?? null) === value;

export const labelControlPlane = async (context: ScenarioContext) => {
  const { client, clock, draw } = context;
  for (const value of ['one', draw.pick(['other', null])]) {
    const metadata = { labels: { [label]: value }, annotations: { 'example.com/said': value } };
    const taint = { key: 'example.com/managed', value: 'so', effect: 'PreferNoSchedule', propagation: 'Always' };
    const taints = value === null ? null : [taint];
    const spec = {
      machineTemplate: { metadata, spec: { deletion: { nodeDrainTimeoutSeconds: draw.whole(1, 9) * 600 }, taints } },
    };
    await accepted(client.patch('KubeadmControlPlane', controlPlane(context), { spec }));
    const isEverywhere = () => controlPlanesOf(context).every(isLabelled(value));
    if (draw.chance(0.5)) await comes(context, `${label}=${value} on machines of the control plane`, isEverywhere);
    else await sleep(clock, draw.spread(1000, 20 * minute));
  }
};

/**
 * Machines are replaced from a date on, and not before. With two or three workers, percentages are
 * rounded.
 */
export const rollWorkersByDate = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired } = context;
  if (desired.workers < 2) {
    desired.workers = draw.whole(2, 3);
    await client.scale('MachineDeployment', deployment(context), desired.workers);
    // After that no worker acts on the former number.
    await sleep(clock, 70 * minute);
  }
  await settled(60);
  const machines = workersOf(context).filter(({ metadata }) => !metadata.deletionTimestamp);
  const rollingUpdate = draw.pick([
    { maxSurge: draw.pick([1, '10%']), maxUnavailable: draw.pick([0, '10%', '34%']) },
    // Each percentage rounds to less than a machine.
    { maxSurge: 0, maxUnavailable: draw.pick(['10%', '34%']) },
  ]);
  const rollout = { after: soon(context), strategy: { type: 'RollingUpdate', rollingUpdate } };
  await accepted(client.patch('MachineDeployment', deployment(context), { spec: { rollout } }));
  await comes(context, 'the replacement of the workers from that date on', areGone(context, machines));
};

/** Moves workers to another zone, or to a fixed one. Workers without that zone are replaced. */
export const moveWorkers = async (context: ScenarioContext) => {
  const { client, draw, settled, world, desired } = context;
  await settled(60);
  const { failureDomains = [] } = world.mirror.get<Cluster>('Cluster', 'default', desired.name)?.status ?? {};
  const before = world.mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(context));
  const others = failureDomains.filter(({ name }) => name !== before?.spec?.template.spec.failureDomain);
  if (others.length === 0) return;
  const machines = workersOf(context).filter(({ metadata }) => !metadata.deletionTimestamp);
  const failureDomain = draw.pick(others).name;
  const spec = { template: { spec: { failureDomain } } };
  await accepted(client.patch('MachineDeployment', deployment(context), { spec }));
  await comes(context, `the replacement of the workers by others in ${failureDomain}`, areGone(context, machines));
};

/**
 * With OnDelete the user replaces machines: no machine is deleted automatically, and each deleted
 * one is replaced by the newest template.
 */
export const replaceManually = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world, desired } = context;
  const strategy = (type: 'OnDelete' | 'RollingUpdate') =>
    accepted(client.patch('MachineDeployment', deployment(context), { spec: { rollout: { strategy: { type } } } }));
  await settled(60);
  await strategy('OnDelete');
  await settled(30);
  const machines = workersOf(context).filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.nodeRef);
  const sets = new Set(machines.map(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/set-name']));
  // A replacement may be in progress already.
  if (sets.size !== 1 || machines.length !== desired.workers) return strategy('RollingUpdate');
  const uids = new Set(machines.map(({ metadata }) => metadata.uid));
  let isOn = true;
  let taken: string | undefined;
  world.mirror.onCommit(({ object, before, writer }) => {
    const isDeletion = object?.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp;
    if (isOn && isDeletion && writer === 'machine-set' && uids.has(object.metadata.uid)) taken = object.metadata.name;
  });
  desired.instanceType = desired.instanceType === 't3.large' ? 'm5.large' : 't3.large';
  await applyAll(context);
  await sleep(clock, draw.spread(minute, 40 * minute));
  // Until the set has the annotation, it replaces lost machines by its own template.
  const isAnnotated = ({ metadata }: KubeObject) => metadata.annotations?.[annotations.disableMachineCreate] === 'true';
  const areAnnotated = () =>
    world.mirror.all('MachineSet').every((set) => !sets.has(set.metadata.name) || isAnnotated(set));
  await comes(context, 'the annotation that stops the old set from creating machines', areAnnotated);
  const machine = draw.pick(machines);
  await client.remove('Machine', machine.metadata.name);
  const isReplaced = () =>
    areGone(context, [machine])() &&
    workersOf(context).some(({ spec, metadata }) => {
      const host = world.mirror.get<AWSMachine>('AWSMachine', 'default', spec?.infrastructureRef?.name ?? '');
      return !metadata.deletionTimestamp && host?.spec?.instanceType === desired.instanceType;
    });
  const what = `a machine of ${desired.instanceType} in place of ${machine.metadata.name}`;
  await comes(context, what, isReplaced, 'RemoteConnectionProbe');
  isOn = false;
  if (taken) throw new Violation('upkeep', `${taken} is deleted, but not by its user`);
  await strategy('RollingUpdate');
};

/** Pauses a rollout halfway. The sets then scale in proportion, and no machine is replaced. */
const pauseMidway = async (context: ScenarioContext, pause: (paused: boolean) => Promise<void>) => {
  const { client, clock, draw, settled, world, desired } = context;
  desired.workers = draw.whole(2, 3);
  await client.scale('MachineDeployment', deployment(context), desired.workers);
  await settled(60);
  desired.instanceType = desired.instanceType === 't3.large' ? 'm5.large' : 't3.large';
  await applyAll(context);
  const isLarge = ({ spec }: MachineSet) => (spec?.replicas ?? 0) > 0;
  const sets = () => world.mirror.all<MachineSet>('MachineSet').filter(isLarge);
  for (let looks = 0; sets().length < 2 && looks < 30; looks++) await sleep(clock, 10_000);
  await pause(true);
  await sleep(clock, minute);
  desired.workers += draw.whole(1, 2);
  await client.scale('MachineDeployment', deployment(context), desired.workers);
  await sleep(clock, draw.spread(5 * minute, 20 * minute));
  await pause(false);
};

/** A paused deployment keeps its machines whatever changes. */
export const pauseWorkers = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world, desired } = context;
  const pause = (paused: boolean) =>
    accepted(client.patch('MachineDeployment', deployment(context), { spec: { paused } }));
  await settled(60);
  if (draw.chance(0.5)) return pauseMidway(context, pause);
  await pause(true);
  await settled(30);
  const { metadata, status } = world.mirror.get<MachineDeployment>(
    'MachineDeployment',
    'default',
    deployment(context),
  )!;
  let isOn = metadata.generation === status?.observedGeneration;
  let made: string | undefined;
  world.mirror.onCommit(({ event, object }) => {
    if (isOn && event === 'ADDED' && object?.kind === 'MachineSet') made = object.metadata.name;
  });
  desired.instanceType = desired.instanceType === 't3.large' ? 'm5.large' : 't3.large';
  await applyAll(context);
  await sleep(clock, draw.spread(minute, 40 * minute));
  isOn = false;
  await pause(false);
  if (made?.startsWith(deployment(context)))
    throw new Violation('upkeep', `${made} is created while its deployment is paused`);
};

/** Timeouts end the wait for pods, even when a user sets them late. */
export const setDrainTimeout = async (context: ScenarioContext) => {
  const { client, clock, draw, world } = context;
  const deletion = { nodeDrainTimeoutSeconds: draw.whole(1, 10) * 120 };
  const object = () => world.mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(context));
  // Some users set a timeout only when the machine is stuck.
  const isAfterwards =
    draw.chance(0.4) && object()?.spec?.template.spec.deletion?.nodeDrainTimeoutSeconds === undefined;
  if (!isAfterwards) {
    await changeInPlace(context, { spec: { deletion, minReadySeconds: draw.whole(0, 10) * 30 } });
    // changeInPlace makes no request while an earlier change is unobserved.
    if (!object()?.spec?.template.spec.deletion?.nodeDrainTimeoutSeconds) return;
    await sleep(clock, draw.spread(minute, 10 * minute));
  }
  await busyWith(context, false, async (machine) => {
    if (!machine) return;
    const { name } = machine.metadata;
    const annotations = { 'machine.cluster.x-k8s.io/exclude-node-draining': '' };
    if (draw.chance(0.5)) await client.patch('Machine', name, { metadata: { annotations } });
    // While the hook holds the machine, no pod is evicted and the timeout does not run.
    const isHeld = draw.chance(0.4);
    const hold = (value: string | null) =>
      client.patch('Machine', name, { metadata: { annotations: { [predrain]: value } } });
    if (isHeld) await hold('waits');
    await client.remove('Machine', name);
    if (isHeld) await sleep(clock, draw.spread(minute, 25 * minute)).then(() => hold(null));
    if (isAfterwards) {
      await sleep(clock, draw.spread(minute, 10 * minute));
      await client.patch('MachineDeployment', deployment(context), { spec: { template: { spec: { deletion } } } });
    }
    // The cluster has one worker fewer meanwhile and need not be Available.
    const what = `the end of ${name}, whose pods cannot be evicted`;
    await comes(context, what, areGone(context, [machine]), 'RemoteConnectionProbe');
  });
};

/** Scales up, and scales down again before the machines exist. */
export const scaleUpAndBack = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired } = context;
  await settled(60);
  const before = desired.workers;
  await client.scale('MachineDeployment', deployment(context), before + 2);
  await sleep(clock, draw.spread(70_000, 4 * minute));
  await client.scale('MachineDeployment', deployment(context), before);
};

/** Upgrades by a minor version, while workers are created and deleted. */
export const upgradeMinor = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired } = context;
  if (desired.version.startsWith('v1.36')) return;
  desired.version = 'v1.36.0';
  await accepted(client.patch('KubeadmControlPlane', controlPlane(context), { spec: { version: desired.version } }));
  await sleep(clock, draw.spread(10_000, 10 * minute));
  const [machine] = workersOf(context);
  if (machine) await client.remove('Machine', machine.metadata.name);
  await settled(draw.pick([5, 60]));
  desired.workerVersion = desired.version;
  await accepted(
    client.patch('MachineDeployment', deployment(context), {
      spec: { template: { spec: { version: desired.workerVersion } } },
    }),
  );
};
