/** Faults of every place in a cluster, each with the cause that `capstan why` must name first. */
import { expect } from 'vitest';
import { seededRandom } from '../../adapters/memory/random.ts';
import { causeRules } from '../../kinds/cause-rules.ts';
import {
  type Cause,
  causesOf,
  causesOfCluster,
  type Graph,
  graphOf,
  membersOf,
  messageOf,
} from '../../kinds/common/causes/index.ts';
import { kinds } from '../../kinds/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { CallWebhook } from '../../machinery/api/webhook.ts';
import type { PodObject } from '../../simulation/workload/objects.ts';
import { refusedAdvice } from './advice.ts';
import { isSettled } from './checks.ts';
import { faultsOfRecovery } from './faults-of-recovery.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { guestOf, run, sizes } from './pools.fixture.ts';
import { cluster, controlPlane, neverJoins, openUpgrade, type Upgrading, workers } from './upgrade.fixture.ts';
import { createWorld, type Kind, type World } from './world.ts';

export interface Fault {
  /** What a user's day brought. */
  fault: string;
  draw: () => Promise<World>;
  /** The object of the first cause, and what its message says. */
  is: string;
  says: RegExp;
  /** A command that the user is offered. */
  offers?: RegExp;
  /** Part of `npm test`. */
  isQuick?: true;
}

const everyObject = (world: World): KubeObject[] =>
  kinds.flatMap(({ kind }) => world.all(kind as Kind) as KubeObject[]);

/** As the command line reads them: every object that is served, and which references lead nowhere. */
const graphIn = (world: World, name: string, all = everyObject(world)): Graph | undefined => {
  const found = all.find(({ kind, metadata }) => kind === 'Cluster' && metadata.name === name);
  if (!found) return undefined;
  const { objects, unfollowed } = membersOf(found, all);
  return graphOf({ objects, absent: unfollowed, rules: causeRules, now: world.now() });
};
export const explained = (world: World, name = cluster, all = everyObject(world)): Cause[] => {
  const graph = graphIn(world, name, all);
  return graph ? causesOfCluster(graph) : [];
};
/** The causes of one object of a cluster. */
export const explainedFor = (world: World, kind: Kind, name: string, of: string): Cause[] => {
  const graph = graphIn(world, of);
  const object = graph?.get(kind, name);
  return graph && object ? causesOf(object, graph) : [];
};

const orders = 8;

/** Names are drawn, so that objects come in another order in each cluster. */
const otherOrders = (world: World): KubeObject[][] => {
  const all = everyObject(world);
  return Array.from({ length: orders }, (_, seed) => {
    const random = seededRandom(seed);
    return all
      .map((object) => ({ object, at: random.next() }))
      .toSorted((a, b) => (a.at < b.at ? -1 : 1))
      .map(({ object }) => object);
  });
};

type Change = (objects: KubeObject[]) => KubeObject[];
type Spec = Record<string, unknown>;

const edited =
  (kind: string, name: RegExp, edit: (spec: Spec, object: KubeObject) => void): Change =>
  (objects) => {
    for (const object of objects)
      if (object.kind === kind && name.test(object.metadata.name)) edit(object.spec as Spec, object);
    return objects;
  };
const without =
  (kind: string, name = /./): Change =>
  (objects) =>
    objects.filter((object) => object.kind !== kind || !name.test(object.metadata.name));

/** A cluster that is being created for so long. */
const creating = async (
  minutes: number,
  change: Change = (objects) => objects,
  before: (world: World) => Promise<unknown> | undefined = () => undefined,
): Promise<World> => {
  const world = await createWorld({ workflows: true });
  await before(world);
  for (const object of change(structuredClone(example('quickstart.yaml')))) await world.apply(object);
  await world.pass(minutes);
  return world;
};
const failing =
  (action: string, code: string) =>
  (world: World): undefined => {
    world.system.account.faults.add({ action, code });
  };

/** A cluster that has worked for some time, so long after what happens to it. */
const working = async (
  minutes: number,
  happens: (world: World) => Promise<unknown> | undefined,
  callWebhook?: CallWebhook,
): Promise<World> => {
  const from = await settledMoment('quickstart.yaml');
  const world = await createWorld({ from, seed: 5, workflows: true, ...(callWebhook && { callWebhook }) });
  await happens(world);
  await world.pass(minutes);
  return world;
};

const upgrading = async (seed: number, happens: (upgrade: Upgrading) => Promise<unknown>): Promise<World> => {
  const upgrade = await openUpgrade(await settledMoment('quickstart.yaml'), seed);
  await happens(upgrade);
  return upgrade.world;
};

const machines = (world: World, isWorker = true) =>
  world.all('Machine').filter(({ metadata }) => metadata.name.startsWith(isWorker ? workers : controlPlane));
const worker = (world: World) => machines(world)[0]!;
const instanceOf = (world: World, { metadata }: KubeObject): string =>
  world.find('AWSMachine', metadata.name)!.spec!.instanceID!;
const terminate = async (world: World, machine: KubeObject) =>
  world.system.account.terminate(instanceOf(world, machine));

/** It replaces nothing. */
const cautiousCheck: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineHealthCheck',
  metadata: { name: 'check', namespace: 'default' },
  spec: {
    clusterName: cluster,
    selector: { matchExpressions: [{ key: 'cluster.x-k8s.io/control-plane', operator: 'DoesNotExist' }] },
    checks: { unhealthyMachineConditions: [{ type: 'HostHealthy', status: 'False', timeoutSeconds: 60 }] },
    remediation: { triggerIf: { unhealthyLessThanOrEqualTo: 0 } },
  },
};
const paused = { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } };

const quota = (hard: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'machines', namespace: 'default' },
  spec: { hard },
});

const creations = [
  { apiGroups: ['cluster.x-k8s.io'], apiVersions: ['*'], operations: ['CREATE'], resources: ['machines'] },
];
const noMoreMachines: KubeObject[] = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'no-more-machines' },
    spec: { matchConstraints: { resourceRules: creations }, validations: [{ expression: 'false' }] },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'no-more-machines' },
    spec: { policyName: 'no-more-machines', validationActions: ['Deny'] },
  },
];
const refusingWebhook: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'team' },
  webhooks: [
    {
      name: 'machines.team.example.com',
      rules: creations,
      clientConfig: { url: 'https://team.example.com/machines' },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    },
  ],
} as unknown as KubeObject;

/** The workers get a template with these fields. */
const changeWorkers = async (upgrade: Upgrading, name: string, fields: object, more: object = {}): Promise<void> => {
  const { world } = upgrade;
  const { apiVersion, kind, spec } = structuredClone(world.find('AWSMachineTemplate', workers)!) as KubeObject<{
    template: { spec: object };
  }>;
  Object.assign(spec!.template.spec, fields);
  await world.apply({ apiVersion, kind, metadata: { name, namespace: 'default' }, spec });
  const { infrastructureRef } = world.find('MachineDeployment', workers)!.spec!.template.spec;
  await upgrade.change('MachineDeployment', {
    spec: { template: { spec: { ...more, infrastructureRef: { ...infrastructureRef, name } } } },
  });
};

/** The template is copied under another name. */
const copies = (kind: string, name: string): RegExp =>
  new RegExp(`^kubectl get ${kind} ${name} -n default -o yaml \\| sed .* > ${name}-2\\.yaml$`);

const machineLimit = (world: World) => world.patch('Installation', 'capstan', { spec: { maxMachines: 2 } });

/** Pods whose budget permits no eviction. */
const budgetForWeb = async (world: World) => {
  await run(world, 2, { name: 'web', cpu: '100m' });
  await world.pass(3);
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'default', name: 'web' },
    spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
  };
  await world.wait(guestOf(world).create(budget));
  await world.pass(1);
};

const protectWeb = async (world: World) => {
  await budgetForWeb(world);
  const pods = await world.wait(guestOf(world).list<PodObject>('pods'));
  const node = pods.find(({ metadata, spec }) => metadata.labels?.app === 'web' && spec?.nodeName)?.spec?.nodeName;
  const machine = world.all('Machine').find(({ status }) => status?.nodeRef?.name === node);
  await world.remove('Machine', machine!.metadata.name);
};

const snapshot = async (world: World) => {
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name: 'before' },
    spec: { clusterName: cluster },
  });
  await world.until('taken', () => world.find('EtcdSnapshot', 'before')?.status?.phase === 'Succeeded', 10);
};

const restore = (world: World, of: string) =>
  world.request('POST', '/apis/capstan.dev/v1alpha1/namespaces/default/clusteroperations', {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: { name: `${cluster}-restore-1` },
    spec: { clusterName: cluster, type: 'restore', snapshot: of },
  });

const faultsOfCreation: Fault[] = [
  {
    fault: 'the quota of VPCs is used up',
    draw: () => creating(4, undefined, failing('CreateVpc', 'VpcLimitExceeded')),
    is: 'AWSCluster quickstart',
    says: /CreateVpc: VpcLimitExceeded: /,
    offers: /^aws service-quotas /,
  },
  {
    fault: 'there is no address left for a NAT gateway',
    draw: () => creating(4, undefined, failing('AllocateAddress', 'AddressLimitExceeded')),
    is: 'AWSCluster quickstart',
    says: /AllocateAddress: AddressLimitExceeded: /,
  },
  {
    fault: 'the role may not create a load balancer',
    draw: () => creating(8, undefined, failing('CreateLoadBalancer', 'AccessDenied')),
    is: 'AWSCluster quickstart',
    says: /CreateLoadBalancer: AccessDenied: /,
    offers: /^capstan doctor/,
  },
  {
    fault: 'the role may not start instances',
    draw: () => creating(10, undefined, failing('RunInstances', 'UnauthorizedOperation')),
    is: 'AWSMachine quickstart-control-plane',
    says: /RunInstances: UnauthorizedOperation: /,
    offers: /^capstan doctor/,
  },
  {
    fault: 'the AWSCluster was not applied',
    isQuick: true,
    draw: () => creating(3, without('AWSCluster')),
    is: 'Cluster quickstart',
    says: /refers to AWSCluster quickstart, which does not exist/,
  },
  {
    fault: 'the template of the control plane was not applied',
    isQuick: true,
    draw: () => creating(3, without('AWSMachineTemplate', /control-plane/)),
    is: 'KubeadmControlPlane quickstart-control-plane',
    says: /refers to AWSMachineTemplate quickstart-control-plane, which does not exist/,
  },
  {
    fault: 'the bootstrap template of the workers was not applied',
    draw: () => creating(3, without('KubeadmConfigTemplate')),
    is: 'MachineDeployment quickstart-workers',
    says: /refers to KubeadmConfigTemplate quickstart-workers, which does not exist/,
  },
  {
    fault: 'the identity is not there',
    draw: () =>
      creating(
        3,
        edited('AWSCluster', /./, (spec) =>
          Object.assign(spec, { identityRef: { kind: 'AWSClusterControllerIdentity', name: 'team' } }),
        ),
      ),
    is: 'AWSCluster quickstart',
    says: /AWSClusterControllerIdentity team(, which)? does not exist/,
  },
  {
    fault: 'the image does not exist',
    isQuick: true,
    draw: () =>
      creating(
        3,
        edited('AWSMachineTemplate', /workers/, ({ template }) =>
          Object.assign((template as { spec: object }).spec, { ami: { id: 'ami-0123456789abcdef0' } }),
        ),
      ),
    is: 'ClusterOperation quickstart-create-1',
    says: /ami-0123456789abcdef0/,
    offers: copies('awsmachinetemplate', workers),
  },
  {
    fault: 'the instance type does not exist',
    draw: () =>
      creating(
        3,
        edited('AWSMachineTemplate', /workers/, ({ template }) =>
          Object.assign((template as { spec: object }).spec, { instanceType: 't3.enormous' }),
        ),
      ),
    is: 'ClusterOperation quickstart-create-1',
    says: /t3\.enormous/,
  },
  {
    fault: 'a Secret of a file is missing',
    draw: () =>
      creating(
        3,
        edited('KubeadmControlPlane', /./, ({ kubeadmConfigSpec }) =>
          Object.assign(kubeadmConfigSpec as object, {
            files: [{ path: '/etc/a', contentFrom: { secret: { name: 'no-such', key: 'a' } } }],
          }),
        ),
      ),
    is: '(ClusterOperation quickstart-create-1|KubeadmConfig quickstart-control-plane)',
    says: /Secret (default\/)?no-such/,
    offers: /^kubectl create secret generic no-such -n default --from-file=a=FILE$/,
  },
  {
    fault: "a command of the control plane's host fails",
    isQuick: true,
    draw: () =>
      creating(
        15,
        edited('KubeadmControlPlane', /./, ({ kubeadmConfigSpec }) =>
          Object.assign(kubeadmConfigSpec as object, neverJoins),
        ),
      ),
    is: 'AWSMachine quickstart-control-plane',
    says: /boot scripts of instance i-\w+ failed: .*cloud-init-output\.log/,
    offers: /^aws ec2 get-console-output --instance-id i-\w+ --region eu-central-1/,
  },
  {
    fault: 'no cloud controller manager was installed',
    draw: () => creating(15, without('ClusterResourceSet')),
    is: 'Machine quickstart-',
    says: /cloud controller manager/,
  },
  {
    fault: 'the cluster was paused before it was created',
    isQuick: true,
    draw: () =>
      creating(
        3,
        edited('Cluster', /./, (spec) => Object.assign(spec, { paused: true })),
      ),
    is: 'Cluster quickstart',
    says: /is paused by its spec\.paused/,
    offers: /^kubectl patch cluster quickstart -n default --type merge -p '\{"spec":\{"paused":false\}\}'/,
  },
  {
    fault: 'a ConfigMap of a ClusterResourceSet is missing',
    draw: () => creating(15, without('ConfigMap')),
    is: 'ClusterResourceSet cloud-controller-manager',
    says: /ConfigMap cloud-controller-manager, which does not exist/,
    offers: /^kubectl create configmap cloud-controller-manager -n default --from-file=FILE$/,
  },
];

const faultsOfDay: Fault[] = [
  {
    fault: 'AWS has no capacity for a new worker',
    draw: () =>
      working(4, (world) => {
        failing('RunInstances', 'InsufficientInstanceCapacity')(world);
        return world.scale('MachineDeployment', workers, 3);
      }),
    is: 'AWSMachine quickstart-workers',
    says: /RunInstances: InsufficientInstanceCapacity: /,
    offers: /^aws ec2 describe-instance-type-offerings /,
  },
  {
    fault: 'a worker is terminated in the console, and no health check covers it',
    isQuick: true,
    draw: () => working(10, (world) => terminate(world, worker(world))),
    is: 'AWSMachine quickstart-workers',
    says: /InstanceTerminated|terminated/,
    offers: /^kubectl delete machine quickstart-workers/,
  },
  {
    fault: 'a worker stops to report',
    draw: () => working(10, async (world) => world.system.account.halt(instanceOf(world, worker(world)))),
    is: '(Machine|AWSMachine) quickstart-workers',
    says: /Kubelet stopped posting node status|InstanceStopped|stopped/,
  },
  {
    fault: "EC2's status checks of a worker fail",
    draw: () =>
      working(25, async (world) => {
        await world.apply(cautiousCheck);
        world.system.account.trouble(instanceOf(world, worker(world)), { impaired: ['system'] });
      }),
    is: 'Machine quickstart-workers',
    says: /system status check/i,
    offers: /^kubectl delete machine quickstart-workers/,
  },
  {
    fault: 'a MachineDeployment is held by an annotation',
    isQuick: true,
    draw: () =>
      working(3, async (world) => {
        await world.patch('MachineDeployment', workers, paused);
        await world.scale('MachineDeployment', workers, 4);
      }),
    is: 'MachineDeployment quickstart-workers',
    says: /held by its annotation cluster\.x-k8s\.io\/paused/,
    offers: /^kubectl annotate machinedeployment quickstart-workers -n default cluster\.x-k8s\.io\/paused-$/,
  },
  {
    fault: 'a held AWSMachine keeps a Machine that is deleted',
    isQuick: true,
    draw: () =>
      working(8, async (world) => {
        const { name } = worker(world).metadata;
        await world.patch('AWSMachine', name, paused);
        await world.remove('Machine', name);
      }),
    is: 'AWSMachine quickstart-workers',
    says: /held by its annotation/,
  },
  {
    fault: "a user's finalizer keeps a Machine",
    draw: () =>
      working(20, async (world) => {
        const { name, finalizers = [] } = worker(world).metadata;
        await world.patch('Machine', name, { metadata: { finalizers: [...finalizers, 'team.example.com/backup'] } });
        await world.remove('Cluster', cluster);
      }),
    is: 'Machine quickstart-workers',
    says: /held by its finalizer team\.example\.com\/backup/,
  },
  {
    fault: 'a disruption budget keeps a pod on a worker that is deleted',
    draw: () => working(12, protectWeb),
    is: 'Machine quickstart-workers',
    says: /disruption budget/,
    offers: /^kubectl --kubeconfig quickstart\.kubeconfig patch poddisruptionbudget web -n default /,
  },
  {
    fault: "a program's hook keeps a Machine",
    draw: () =>
      working(15, async (world) => {
        const { name } = worker(world).metadata;
        const hook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup';
        await world.patch('Machine', name, { metadata: { annotations: { [hook]: 'team' } } });
        await world.remove('Machine', name);
      }),
    is: 'Machine quickstart-workers',
    says: /pre-terminate hooks/,
    offers:
      /^kubectl annotate machine \S+ -n default pre-terminate\.delete\.hook\.machine\.cluster\.x-k8s\.io\/backup-$/,
  },
  {
    fault: 'something else in the VPC keeps it from being deleted',
    draw: () =>
      working(25, async (world) => {
        failing('DeleteVpc', 'DependencyViolation')(world);
        await world.remove('Cluster', cluster);
      }),
    is: 'AWSCluster quickstart',
    says: /DeleteVpc: DependencyViolation: /,
  },
  {
    fault: 'the only control plane is terminated',
    isQuick: true,
    draw: () =>
      working(10, async (world) => {
        await snapshot(world);
        await terminate(world, machines(world, false)[0]!);
      }),
    is: 'KubeadmControlPlane quickstart-control-plane',
    says: /etcd has lost its quorum.*quickstart-control-plane/,
    offers: /^capstan snapshot restore NAME -n default$/,
  },
  {
    fault: 'two of three control planes are terminated, and there is no snapshot',
    draw: () =>
      working(0, async (world) => {
        await world.scale('KubeadmControlPlane', controlPlane, 3);
        await world.until('scaled', () => machines(world, false).length === 3 && isSettled(world), 60);
        for (const machine of machines(world, false).slice(1)) await terminate(world, machine);
        await world.pass(10);
      }),
    is: 'KubeadmControlPlane quickstart-control-plane',
    says: /No EtcdSnapshot of the cluster is complete; .*copy one first, as docs.snapshots.md says \(aws:/,
    offers: /^capstan snapshot list quickstart -n default --deleted$/,
  },
  {
    fault: "the cluster's authority was deleted",
    isQuick: true,
    draw: () =>
      working(6, async (world) => {
        await world.remove('Secret', 'quickstart-ca');
        await world.scale('MachineDeployment', workers, 3);
      }),
    is: '(KubeadmControlPlane|KubeadmConfig) quickstart',
    says: /quickstart-ca/,
  },
  {
    fault: 'the limit of Machines is reached',
    draw: () =>
      working(4, async (world) => {
        await machineLimit(world);
        await world.remove('Machine', worker(world).metadata.name);
        await world.pass(4);
      }),
    is: 'MachineSet quickstart-workers',
    says: /maxMachines/,
    offers: /^kubectl patch installation capstan --type merge -p '\{"spec":\{"maxMachines":3\}\}'$/,
  },
  {
    fault: 'a ResourceQuota counts the Machines',
    isQuick: true,
    draw: () =>
      working(4, async (world) => {
        await world.apply(quota({ 'count/machines.cluster.x-k8s.io': '3' }));
        await world.scale('MachineDeployment', workers, 3);
      }),
    is: 'MachineSet quickstart-workers',
    says: /exceeded quota: .*ResourceQuota machines/,
    offers:
      /^kubectl patch resourcequota machines -n default --type merge -p '\{"spec":\{"hard":\{"count\/machines.cluster.x-k8s.io":"4"\}\}\}'$/,
  },
  {
    fault: 'a ResourceQuota refuses what a controller creates',
    draw: () =>
      working(4, async (world) => {
        await world.apply(quota({ 'count/awsmachines.infrastructure.cluster.x-k8s.io': '3' }));
        await world.scale('MachineDeployment', workers, 3);
      }),
    is: 'MachineSet quickstart-workers',
    says: /exceeded quota: machines/,
    offers: /^kubectl patch resourcequota machines -n default .*"count\/awsmachines.*":"4"/,
  },
  {
    fault: "a user's admission policy refuses what a controller creates",
    draw: () =>
      working(4, async (world) => {
        for (const object of noMoreMachines) await world.apply(object);
        await world.scale('MachineDeployment', workers, 3);
      }),
    is: 'MachineSet quickstart-workers',
    says: /ValidatingAdmissionPolicy 'no-more-machines' with binding 'no-more-machines' denied request/,
    offers: /^kubectl get validatingadmissionpolicy no-more-machines -o yaml$/,
  },
  {
    fault: "a user's webhook refuses what a controller creates",
    draw: () =>
      working(
        4,
        async (world) => {
          await world.apply(refusingWebhook);
          await world.scale('MachineDeployment', workers, 3);
        },
        async () => {
          throw new Error('connection refused');
        },
      ),
    is: 'MachineSet quickstart-workers',
    says: /failed calling webhook "machines\.team\.example\.com"/,
    offers: /^kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o /,
  },
  {
    fault: 'the template of the workers names a subnet that does not exist',
    isQuick: true,
    draw: () =>
      upgrading(31, async (upgrade) => {
        await changeWorkers(upgrade, 'lost', { subnet: { id: 'subnet-0123456789abcdef0' } });
        await upgrade.world.pass(6);
      }),
    is: 'AWSMachine quickstart-workers',
    says: /subnet subnet-0123456789abcdef0 does not exist/,
    offers: copies('awsmachinetemplate', 'lost'),
  },
  {
    fault: 'AWS refuses what the template of the workers asks for',
    draw: () =>
      working(4, (world) => {
        failing('RunInstances', 'InvalidParameterValue')(world);
        return world.scale('MachineDeployment', workers, 3);
      }),
    is: 'AWSMachine quickstart-workers',
    says: /RunInstances: InvalidParameterValue: /,
    offers: copies('awsmachinetemplate', workers),
  },
  {
    fault: 'pods need more than the largest size of their pool',
    draw: () =>
      working(8, async (world) => {
        await world.patch('MachineDeployment', workers, { metadata: { annotations: sizes(2, 2) } });
        await world.pass(3);
        await run(world, 9);
      }),
    is: 'ScalingPlan quickstart',
    says: /quickstart-workers.*(max node group size reached|maximum of 2)/,
    offers: /^kubectl annotate machinedeployment quickstart-workers -n default --overwrite \S+=3$/,
  },
  {
    fault: 'the whole cluster is held by an annotation',
    draw: () =>
      working(4, async (world) => {
        await world.patch('Cluster', cluster, paused);
        await world.scale('MachineDeployment', workers, 4);
      }),
    is: 'Cluster quickstart',
    says: /held by its annotation/,
  },
  {
    fault: 'the API of AWS does not answer',
    draw: () =>
      working(6, async (world) => {
        for (const action of ['DescribeInstances', 'DescribeAvailabilityZones', 'RunInstances'])
          failing(action, 'InternalError')(world);
        await world.scale('MachineDeployment', workers, 3);
      }),
    is: 'AWSMachine quickstart-workers',
    says: /InternalError/,
  },
];

const faultsOfUpgrades: Fault[] = [
  {
    fault: 'etcd has an alarm before an upgrade',
    draw: () =>
      upgrading(21, async (upgrade) => {
        const { etcd } = guestOf(upgrade.world).record;
        etcd.alarms = [{ memberID: etcd.members[0]!.id, type: 'NOSPACE' }];
        await upgrade.world.pass(1);
        await upgrade.toVersion('v1.36.0');
        await upgrade.ended();
        await upgrade.world.pass(2);
      }),
    is: 'Machine quickstart-control-plane',
    says: /NOSPACE/,
    offers: /^e defrag --cluster /,
  },
  {
    fault: 'an upgrade is paused before its workers',
    draw: () =>
      upgrading(22, async (upgrade) => {
        await upgrade.annotate({ 'capstan.dev/upgrade-pause': 'WorkersCanary' });
        await upgrade.toVersion('v1.36.0');
        await upgrade.world.until('paused', () => upgrade.phases().at(-1) === 'Paused', 60);
      }),
    is: 'ClusterOperation quickstart-upgrade-1',
    says: /is paused: .*WorkersCanary/,
    offers: /^capstan continue operation quickstart-upgrade-1 -n default$/,
  },
  {
    fault: 'an upgrade was cancelled after the control plane, and a worker is lost',
    draw: () =>
      upgrading(23, async (upgrade) => {
        const { world } = upgrade;
        await upgrade.annotate({ 'capstan.dev/upgrade-pause': 'WorkersCanary' });
        await upgrade.toVersion('v1.36.0');
        await world.until('paused', () => upgrade.phases().at(-1) === 'Paused', 60);
        await world.patch('ClusterOperation', upgrade.upgrades().at(-1)!.metadata.name, { spec: { cancel: true } });
        await upgrade.ended();
        await world.remove('Machine', worker(world).metadata.name);
        await world.pass(10);
      }),
    is: 'MachineDeployment quickstart-workers',
    says: /It can neither grow nor replace Machines: .*version skew policy/,
    offers: /^capstan retry cluster quickstart -n default$/,
  },
  {
    fault: "an upgraded worker's host does not join",
    draw: () =>
      upgrading(24, async (upgrade) => {
        await upgrade.breakWorkers();
        await upgrade.atStep('WorkersCanary');
        await upgrade.world.pass(10);
      }),
    is: 'AWSMachine quickstart-workers',
    says: /boot scripts of instance i-\w+ failed/,
    offers: copies('kubeadmconfigtemplate', 'broken'),
  },
  {
    fault: 'AWS refuses the first new control plane of an upgrade',
    isQuick: true,
    draw: () =>
      upgrading(27, async (upgrade) => {
        failing('RunInstances', 'InsufficientInstanceCapacity')(upgrade.world);
        await upgrade.toVersion('v1.36.0');
        await upgrade.atStep('ControlPlaneFirst');
        await upgrade.world.pass(5);
      }),
    is: 'AWSMachine quickstart-control-plane',
    says: /RunInstances: InsufficientInstanceCapacity: /,
  },
  {
    fault: 'the first new control plane of an upgrade does not join',
    draw: () =>
      upgrading(28, async (upgrade) => {
        await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0', kubeadmConfigSpec: neverJoins } });
        await upgrade.atStep('ControlPlaneFirst');
        await upgrade.world.pass(9);
      }),
    is: 'AWSMachine quickstart-control-plane',
    says: /boot scripts of instance i-\w+ failed/,
    offers: /^kubectl edit kubeadmcontrolplane quickstart-control-plane -n default$/,
  },
  {
    fault: 'a disruption budget keeps a pod in an upgrade',
    draw: () =>
      upgrading(29, async (upgrade) => {
        await upgrade.toVersion('v1.36.0');
        await upgrade.atStep('ControlPlaneFirst');
        await budgetForWeb(upgrade.world);
        await upgrade.atStep('Workers');
        await upgrade.world.pass(4);
      }),
    is: 'Machine quickstart-workers',
    says: /disruption budget/,
    offers: /^kubectl --kubeconfig quickstart\.kubeconfig patch poddisruptionbudget web -n default /,
  },
  {
    fault: 'a disruption budget refuses an upgrade',
    draw: () =>
      upgrading(30, async (upgrade) => {
        await budgetForWeb(upgrade.world);
        await upgrade.toVersion('v1.36.0');
        await upgrade.ended();
      }),
    is: 'ClusterOperation quickstart-upgrade-1',
    says: /PodDisruptionBudget default\/web: It never permits/,
    offers: /^kubectl --kubeconfig quickstart\.kubeconfig patch poddisruptionbudget web -n default /,
  },
  {
    fault: 'a restore is refused because the account does not let it keep the disks',
    draw: () =>
      working(0, async (world) => {
        await snapshot(world);
        failing('CreateSnapshot', 'UnauthorizedOperation')(world);
        await world.scale('KubeadmControlPlane', controlPlane, 3);
        await world.until('scaled', () => machines(world, false).length === 3 && isSettled(world), 60);
        for (const machine of machines(world, false).slice(1)) await terminate(world, machine);
        await world.pass(5);
        await restore(world, 'before');
        await world.until(
          'ended',
          () => world.find('ClusterOperation', `${cluster}-restore-1`)?.status?.ended !== undefined,
          30,
        );
        await world.pass(2);
      }),
    is: 'ClusterOperation quickstart-restore-1',
    says: /DisksNotKept: .*UnauthorizedOperation/,
    offers: /^capstan snapshot restore before -n default --override DisksNotKept$/,
  },
  {
    fault: 'an upgrade is held after its deadline',
    draw: () =>
      upgrading(25, async (upgrade) => {
        await upgrade.annotate({ 'capstan.dev/upgrade-deadline': '10m', 'capstan.dev/on-upgrade-failure': 'Hold' });
        await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0', kubeadmConfigSpec: neverJoins } });
        await upgrade.ended(60);
        await upgrade.world.pass(2);
      }),
    is: '(AWSMachine quickstart-control-plane|ClusterOperation quickstart-upgrade-1)',
    says: /boot scripts of instance i-\w+ failed|ControlPlaneFirst was not done/,
  },
  {
    fault: 'the image of the new version has an old kubelet',
    draw: () =>
      upgrading(26, async (upgrade) => {
        const { world } = upgrade;
        await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0' } });
        await changeWorkers(
          upgrade,
          'old-image',
          { imageLookupFormat: 'capa-ami-ubuntu-24.04-?1.35.0-*' },
          { version: 'v1.36.0' },
        );
        await upgrade.atStep('WorkersCanary');
        await world.pass(10);
      }),
    is: 'Machine quickstart-workers',
    says: /kubeletVersion v1\.35\.0, v1\.36\.0 required/,
    offers: copies('awsmachinetemplate', 'old-image'),
  },
];

export const faults: readonly Fault[] = [...faultsOfCreation, ...faultsOfDay, ...faultsOfUpgrades, ...faultsOfRecovery];

/** Expects the true cause first, and no advice that is refused. */
export const expectExplained = async (world: World, { is, says, offers }: Fault): Promise<void> => {
  const causes = explained(world);
  const [first] = causes;
  expect(first && `${first.kind} ${first.name}`, causes.map(messageOf).join('\n')).toMatch(new RegExp(`^${is}`));
  expect(first?.message).toMatch(says);
  for (const other of otherOrders(world)) {
    const [same] = explained(world, cluster, other);
    expect(same && { kind: same.kind, type: same.type }, 'objects come in any order').toEqual({
      kind: first!.kind,
      type: first!.type,
    });
  }
  if (offers) expect(first?.commands.join('\n')).toMatch(new RegExp(offers.source, 'm'));
  expect(await refusedAdvice(world, causes)).toEqual([]);
};
