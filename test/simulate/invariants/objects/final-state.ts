import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSCluster } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Condition, KubeObject } from '../../../../machinery/api/object.ts';
import type { DesiredCluster } from '../../scenarios/manifest.ts';
import { poolsIn } from '../autoscaling/pools.ts';
import { isMoved } from '../deletion.ts';
import { isControlPlane } from '../relations.ts';
import type { Rule } from '../rule.ts';
import { sorted } from '../tags.ts';

/** The number of resources of each type, however often a creation was started. */
const ofCluster = { 'security-group': 4, secret: 0 };
/** Each subnet has a route table. Each public subnet has a NAT gateway with an elastic IP. */
const ofNetwork = ({ spec }: AWSCluster) => {
  const { subnets = [] } = spec?.network ?? {};
  const gateways = subnets.filter(({ isPublic }) => isPublic).length;
  const tables = { subnet: subnets.length, 'route-table': subnets.length };
  return { vpc: 1, 'internet-gateway': 1, ...tables, 'elastic-ip': gateways, natgateway: gateways };
};
const noNetwork = { vpc: 0, subnet: 0, 'internet-gateway': 0, 'route-table': 0, 'elastic-ip': 0, natgateway: 0 };

const openedByHand = 22;

/** The finalizers and the owner kinds of each kind. */
const shapes: Readonly<Record<string, { finalizers: readonly string[]; owner: readonly string[] }>> = {
  Cluster: { finalizers: ['capstan.dev/operations', 'cluster.cluster.x-k8s.io'], owner: [] },
  AWSCluster: { finalizers: ['awscluster.infrastructure.cluster.x-k8s.io'], owner: ['Cluster'] },
  KubeadmControlPlane: { finalizers: ['kubeadm.controlplane.cluster.x-k8s.io'], owner: ['Cluster'] },
  MachineDeployment: { finalizers: ['cluster.x-k8s.io/machinedeployment'], owner: ['Cluster'] },
  MachineSet: { finalizers: ['cluster.x-k8s.io/machineset'], owner: ['MachineDeployment'] },
  Machine: { finalizers: ['machine.cluster.x-k8s.io'], owner: ['KubeadmControlPlane', 'MachineSet'] },
  AWSMachine: { finalizers: ['awsmachine.infrastructure.cluster.x-k8s.io'], owner: ['Machine'] },
  KubeadmConfig: { finalizers: [], owner: ['Machine'] },
};

/** The annotation that records an intended creation. */
const creating = 'capstan.dev/creating';

interface Reference {
  kind: string;
  name: string;
}
interface Making {
  template?: { spec?: { infrastructureRef?: Reference; bootstrap?: { configRef?: Reference } } };
  machineTemplate?: { spec?: { infrastructureRef?: Reference } };
}
/** The templates from which an object's Machines are created. */
const templatesOf = ({ spec }: KubeObject): Reference[] => {
  const { template, machineTemplate } = (spec ?? {}) as Making;
  const { infrastructureRef, bootstrap } = template?.spec ?? {};
  return [infrastructureRef, bootstrap?.configRef, machineTemplate?.spec?.infrastructureRef].filter((one) =>
    one?.kind.endsWith('Template'),
  ) as Reference[];
};

const isDeletingNode = ({ status }: Machine) =>
  (status?.conditions as Condition[] | undefined)?.some(
    ({ type, reason }) => type === 'Deleting' && reason === 'DeletingNode',
  ) ?? false;

const internalName = (status: { addresses?: readonly { type: string; address: string }[] } | undefined) =>
  status?.addresses?.find(({ type }) => type === 'InternalDNS')?.address;

export const finalState: Rule = ({ world, provided, wanted, staleResources }, broken) => {
  const { account, guests, mirror } = world;
  /** Nodes of Machines whose finalizer a user removed, and Nodes that could not be deleted. */
  const left = new Set<string>();
  /**
   * Uids of Machines that tried to delete their Node, and of those with an Event that it was
   * refused.
   */
  const tried = new Set<string>();
  const refused = new Set<string>();
  const expect = (what: string, is: string | number, should: string | number) => {
    if (is !== should) throw broken(`${what}: ${is || 'none'}, not ${should || 'none'}`);
  };
  /** A restore keeps copies of disks aside. */
  const isKept = ({ tags }: { tags: Record<string, string> }) => 'capstan.dev/kept-until' in tags;
  const ours = () => account.list().filter((one) => !provided.has(one.id) && !staleResources?.has(one) && !isKept(one));

  const expectShape = ({ kind, metadata }: KubeObject) => {
    const shape = shapes[kind];
    if (!shape) return;
    const { name, finalizers = [], ownerReferences = [], annotations = {} } = metadata;
    if (creating in annotations) throw broken(`${kind} ${name} still has annotation ${creating}`);
    expect(`finalizers of ${kind} ${name}`, sorted(finalizers), sorted(shape.finalizers));
    const owners = ownerReferences.map((owner) => owner.kind);
    const isOwned = shape.owner.length === 0 || (owners.length === 1 && shape.owner.includes(owners[0]!));
    if (!isOwned) throw broken(`${kind} ${name} is owned by ${owners.join(' and ') || 'no object'}`);
    for (const { uid, kind: owner } of ownerReferences)
      if (!mirror.all(owner).some((one) => one.metadata.uid === uid))
        throw broken(`${kind} ${name} is owned by a ${owner} that is gone`);
  };

  const guestOf = (machine: Machine) => {
    const { name } = machine.metadata;
    const infrastructure = mirror.get<AWSMachine>('AWSMachine', 'default', machine.spec?.infrastructureRef?.name ?? '');
    const id = infrastructure?.spec?.instanceID;
    const guest = guests.guests().find(({ instance }) => instance.instanceId === id);
    if (!guest?.kubelet) throw broken(`no kubelet runs on ${id} of ${name}`);
    const { instance, kubelet } = guest;
    expect(`the node of ${name}`, machine.status?.nodeRef?.name ?? '', kubelet.nodeName);
    expect(`the version of ${name}`, kubelet.version, machine.spec?.version ?? '');
    return { id: instance.instanceId, type: instance.instanceType, node: kubelet.nodeName, cluster: kubelet.cluster };
  };

  /** Nodes, etcd members and load balancer targets match the Machines. */
  const expectInside = async ({ metadata, spec }: Cluster) => {
    const machines = mirror
      .all<Machine>('Machine')
      .filter(({ metadata: { labels } }) => labels?.['cluster.x-k8s.io/cluster-name'] === metadata.name);
    const all = machines.map(guestOf);
    const controlPlanes = sorted(machines.filter(isControlPlane).map((machine) => guestOf(machine).id));
    const cluster = guests.clusters.get(all[0]?.cluster ?? '');
    if (!cluster) throw broken(`no guest cluster runs for ${metadata.name}`);
    const nodes = await cluster.list('nodes');
    expect(
      `nodes of ${metadata.name}`,
      sorted(nodes.map((node) => node.metadata.name).filter((node) => !left.has(node))),
      sorted(all.map(({ node }) => node)),
    );
    const { members } = cluster.record.etcd;
    expect(`etcd of ${metadata.name}`, sorted(members.map(({ instanceId }) => instanceId)), controlPlanes);
    const { host = '', port = 0 } = spec?.controlPlaneEndpoint ?? {};
    const targets = guests.listener(host, port)?.healthyTargets() ?? [];
    expect(`targets of ${metadata.name}`, sorted(targets.map(({ instanceId }) => instanceId)), controlPlanes);
    return machines;
  };

  /** The Cluster owns the templates of its machines. */
  const expectTemplates = (object: KubeObject) => {
    const { kind, metadata } = object;
    const name = metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? '';
    const cluster = mirror.get('Cluster', metadata.namespace ?? '', name);
    for (const reference of cluster ? templatesOf(object) : []) {
      const template = mirror.get(reference.kind, metadata.namespace!, reference.name);
      if (template && !template.metadata.ownerReferences?.some(({ uid }) => uid === cluster!.metadata.uid))
        throw broken(`${template.kind} ${reference.name} of ${kind} ${metadata.name} is not owned by its Cluster`);
    }
  };

  const expectWished = (desired: DesiredCluster, machines: readonly Machine[]) => {
    const controlPlanes = machines.filter(isControlPlane);
    const scaled = new Set(poolsIn(mirror).map((pool) => pool.metadata.name));
    const isScaled = ({ metadata: { labels } }: Machine) =>
      scaled.has(labels?.['cluster.x-k8s.io/deployment-name'] ?? '');
    const workers = machines.filter((machine) => !isControlPlane(machine) && !isScaled(machine));
    expect(`control planes of ${desired.name}`, controlPlanes.length, desired.controlPlanes);
    expect(`workers of ${desired.name}`, workers.length, desired.workers);
    for (const machine of controlPlanes)
      expect(`the version of ${machine.metadata.name}`, machine.spec?.version ?? '', desired.version);
    for (const machine of workers) {
      expect(`the version of ${machine.metadata.name}`, machine.spec?.version ?? '', desired.workerVersion);
      expect(`the type of ${machine.metadata.name}`, guestOf(machine).type, desired.instanceType);
    }
  };

  const expectCounts = (uid: string, desired: DesiredCluster) => {
    const mine = ours().filter(({ tags }) => tags['capstan.dev/cluster-uid'] === uid);
    const infrastructure = mirror.get<AWSCluster>('AWSCluster', 'default', desired.name);
    const network = desired.network || !infrastructure ? noNetwork : ofNetwork(infrastructure);
    for (const [type, count] of Object.entries({ ...ofCluster, ...network }))
      expect(`resources of ${desired.name} of type ${type}`, mine.filter((one) => one.type === type).length, count);
  };

  /** Changes that a user made in the account are reverted. */
  const expectClosed = async (uid: string, name: string) => {
    const mine = ours().filter(({ tags }) => tags['capstan.dev/cluster-uid'] === uid);
    for (const { id, region } of mine.filter(({ type }) => type === 'security-group')) {
      const { SecurityGroups } = await account.call(region, 'DescribeSecurityGroups', { GroupIds: [id] });
      if (SecurityGroups[0]?.IpPermissions.some(({ FromPort }) => FromPort === openedByHand))
        throw broken(`port ${openedByHand} of ${name} is still open`);
    }
    for (const { id, region } of mine.filter(({ type }) => type === 'route-table')) {
      const { RouteTables } = await account.call(region, 'DescribeRouteTables', { RouteTableIds: [id] });
      if (!RouteTables[0]?.Associations.length) throw broken(`no subnet of ${name} uses ${id}`);
    }
  };

  return {
    onCommit: ({ type, event, object, before, writer }) => {
      if (object?.kind === 'Event') {
        const { reason, involvedObject } = object as unknown as { reason?: string; involvedObject?: { uid?: string } };
        if (reason === 'FailedDeleteNode') refused.add(involvedObject?.uid ?? '');
      }
      if (type === 'awsmachines.infrastructure.cluster.x-k8s.io' && event === 'DELETED') {
        const { metadata, status } = before as AWSMachine;
        const machine = mirror.get<Machine>('Machine', metadata.namespace ?? '', metadata.name);
        // A user deleted the AWSMachine before the Machine knew its providerID. The cloud
        // controller manager removes such Nodes.
        const isUnheard = machine && !machine.metadata.deletionTimestamp && !machine.spec?.providerID;
        if (isUnheard) left.add(internalName(status) ?? '');
      }
      if (type !== 'machines.cluster.x-k8s.io') return;
      if (object && isDeletingNode(object as Machine)) tried.add(object.metadata.uid!);
      if (event !== 'DELETED' || isMoved(before)) return;
      const { metadata, status } = before as Machine;
      const node = status?.nodeRef?.name ?? internalName(status);
      // A cluster that refuses the deletion until the timeout keeps the Node. The first refusal is
      // reported by an Event.
      const isRefused = tried.has(metadata.uid!) && refused.has(metadata.uid!);
      if (node !== undefined && (!writer || isRefused)) left.add(node);
    },
    atEnd: async () => {
      const clusters = mirror.all<Cluster>('Cluster');
      const uids = new Set(clusters.map(({ metadata }) => metadata.uid));
      for (const { id, type, tags } of ours()) {
        // AWS creates the network interfaces of NAT gateways and load balancers.
        if (type === 'network-interface') continue;
        if (tags['capstan.dev/installation'] !== 'here' || !uids.has(tags['capstan.dev/cluster-uid']))
          throw broken(`${type} ${id} belongs to no cluster: ${JSON.stringify(tags)}`);
      }
      for (const object of mirror.everything()) {
        expectShape(object);
        expectTemplates(object);
      }
      for (const cluster of clusters) {
        const machines = await expectInside(cluster);
        const desired = wanted().find(({ name }) => name === cluster.metadata.name);
        if (!desired) continue;
        expectWished(desired, machines);
        expectCounts(cluster.metadata.uid!, desired);
        await expectClosed(cluster.metadata.uid!, desired.name);
      }
    },
  };
};
