/**
 * `kubeadm join`: this machine becomes a node, or a further control plane, of a running cluster.
 */
import { defaultBindPort } from '../../../kinds/components/kubeadm/preflight.ts';
import type { Cluster } from '../cluster.ts';
import { delays } from '../delays.ts';
import { hasQuorum } from '../etcd.ts';
import type { Machine } from '../machine.ts';
import type { NodeObject } from '../objects.ts';
import { isTrue } from '../objects.ts';
import type { ApiServerRecord, EtcdMemberRecord, StaticPod } from '../records.ts';
import { joinAuthorities, servingApi } from './certificates.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { hostOf, runPreflight, startKubelet, startStaticPods } from './components.ts';
import { type JoinConfig, readJoinConfig } from './config.ts';
import { authenticate, discover, JoinError, publicKeyHash, requireCluster } from './discovery.ts';
import { type KubeadmWorld, podCidrs } from './init.ts';
import { manifestsOf } from './manifests.ts';
import { kubeletOf, nodeObject } from './node.ts';
import { audited, patchedManifests } from './patches.ts';
import { storedConfig } from './stored-config.ts';
import type { KubernetesVersion } from './version.ts';

/** Adds the machine's etcd as a learner, and waits until it can vote. */
const joinEtcd = async (
  machine: Machine,
  cluster: Cluster,
  nodeName: string,
  address: string,
  { clusters, random }: KubeadmWorld,
): Promise<EtcdMemberRecord> => {
  const { etcd } = cluster.record;
  const { instanceId } = machine.record.instance;
  const find = () => etcd.members.find((member) => member.instanceId === instanceId);
  while (!find()) {
    if (hasQuorum(etcd, clusters.isRunning) && !etcd.members.some((member) => member.isLearner)) {
      etcd.members.push({
        id: Buffer.from(random.bytes(8)).toString('hex'),
        name: nodeName,
        instanceId,
        peerURL: `https://${address}:2380`,
        clientURL: `https://${address}:2379`,
        isLearner: true,
        promoteAt: machine.now() + machine.scaled(delays.etcdCatchUp),
      });
      clusters.save(cluster);
      machine.print('[etcd] Announced new etcd member joining to the existing etcd cluster');
      break;
    }
    machine.print('[etcd] Failed to add the member, will try again: etcdserver: too many learner members in cluster');
    await machine.until(machine.now() + machine.scaled(delays.kubeadmRetry));
  }
  const member = find()!;
  while (member.isLearner) {
    await machine.until(Math.max(member.promoteAt ?? 0, machine.now()));
    if (hasQuorum(etcd, clusters.isRunning)) {
      member.isLearner = false;
      delete member.promoteAt;
      clusters.save(cluster);
    } else await machine.until(machine.now() + machine.scaled(delays.kubeadmRetry));
  }
  return member;
};

const joinControlPlane = async (
  machine: Machine,
  cluster: Cluster,
  config: JoinConfig,
  stored: ClusterConfig,
  nodeName: string,
  world: KubeadmWorld,
): Promise<{ apiServer: ApiServerRecord; manifests: Record<string, StaticPod> }> => {
  const { instance } = machine.record;
  const { advertiseAddress = instance.privateIp, bindPort } = config.controlPlane!;
  const authorities = joinAuthorities(machine.files, stored.certificatesDir);
  const { record } = cluster;
  for (const [mine, theirs, name] of [
    [authorities.ca.certificate, record.caCertificate, 'CA'],
    [authorities.etcd.certificate, record.etcd.caCertificate, 'etcd CA'],
  ] as const)
    if (publicKeyHash(mine) !== publicKeyHash(theirs))
      throw new JoinError(
        `error execution phase control-plane-prepare/certs: the ${name} certificate is not that of the cluster: x509: certificate signed by unknown authority`,
      );
  // From here on kubeadm is a client of the endpoint that is stored.
  requireCluster(
    stored.controlPlaneEndpoint!,
    cluster,
    machine,
    world.clusters,
    'error execution phase etcd-join: error creating local etcd static pod manifest file',
  );
  const manifestsWith = (members: readonly EtcdMemberRecord[]): Record<string, StaticPod> => {
    const peers = members.map((member) => `${member.name}=${member.peerURL}`);
    const plain = manifestsOf(stored, { advertiseAddress, bindPort }, nodeName, peers);
    return patchedManifests(plain, machine.files, config.patches);
  };
  // A real etcd would already be a member; this one joins only with programs that run.
  await startStaticPods(machine, manifestsWith(record.etcd.members), stored.certificatesDir);
  await joinEtcd(machine, cluster, nodeName, advertiseAddress, world);
  const manifests = manifestsWith(record.etcd.members);
  const apiServer = servingApi(world.pki, {
    authorities,
    cluster: stored,
    nodeName,
    advertiseAddress,
    port: bindPort,
    now: machine.now(),
  });
  return { apiServer: audited(apiServer, manifests, hostOf(machine, stored.certificatesDir)), manifests };
};

/** Throws ConfigError, CertificateError or JoinError, which end the command. */
export const kubeadmJoin = async (
  machine: Machine,
  source: string,
  kubeadm: KubernetesVersion,
  world: KubeadmWorld,
): Promise<void> => {
  const { record, command, now } = machine;
  const { instance } = record;
  const config = readJoinConfig(source, kubeadm);
  if (command.due === undefined) machine.print('[preflight] Running pre-flight checks');
  const reached = await discover(machine, config, world.clusters);
  const { cluster } = reached;
  await authenticate(reached, machine, config);
  if (command.due === undefined)
    machine.print(
      '[preflight] Reading configuration from the "kubeadm-config" ConfigMap in namespace "kube-system"...',
    );
  const isControlPlane = config.controlPlane !== undefined;
  const stored = await storedConfig(cluster, kubeadm, { isControlPlane });
  if (command.due === undefined) {
    const { node, skipPhases, caCertPath } = config;
    runPreflight(
      machine,
      {
        command: 'join',
        isControlPlane,
        criSocket: node.criSocket,
        ignored: node.ignorePreflightErrors,
        skipPhases,
        bindPort: config.controlPlane?.bindPort ?? defaultBindPort,
        dataDir: stored.etcdDataDir,
        caCertPath,
      },
      kubeadm,
    );
  }
  const nodeName = (config.node.name ?? machine.hostname).toLowerCase();
  command.due ??= now() + machine.scaled(delays.kubeadmJoin);
  machine.save();
  await machine.until(command.due);
  await startKubelet(machine, config.node.kubeletArgs, kubeadm);

  const nodes = await cluster.list<NodeObject>('nodes');
  const twin = nodes.find(({ metadata }) => metadata.name === nodeName);
  if (twin && isTrue(twin, 'Ready'))
    throw new JoinError(
      `error execution phase kubelet-start: a Node with name "${nodeName}" and status "Ready" already exists in the cluster. You must delete the existing Node or change the name of this new joining Node`,
    );
  const controlPlane = config.controlPlane
    ? await joinControlPlane(machine, cluster, config, stored, nodeName, world)
    : undefined;
  const kubelet = {
    ...kubeletOf(instance, {
      cluster: cluster.record.id,
      nodeName,
      node: config.node,
      isControlPlane: controlPlane !== undefined,
      kubelet: kubeadm,
      manifests: controlPlane?.manifests ?? {},
      now: now(),
    }),
    ...(controlPlane && { apiServer: controlPlane.apiServer }),
  };
  machine.join(kubelet);
  await cluster.create(
    nodeObject(
      instance,
      kubelet,
      podCidrs(
        stored.podSubnet,
        nodes.map(({ spec }) => spec?.podCIDR),
      ),
    ),
  );
  command.status = 0;
  machine.save();
  cluster.poke();
  machine.print(
    '[kubelet-start] Starting the kubelet',
    '[kubelet-check] The kubelet is healthy',
    'This node has joined the cluster:',
    '* Certificate signing request was sent to apiserver and a response was received.',
    '* The Kubelet was informed of the new secure connection details.',
  );
};
