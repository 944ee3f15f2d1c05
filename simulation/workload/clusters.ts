/** The clusters on the account's machines, and how they are reached. */
import type { Clock, Log, Notifier, Random } from '../../machinery/ports.ts';
import type { GuestServices, HostedListener, Storage } from '../ports.ts';
import { createAuditBackend } from './audit/backend.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { hasQuorum, leaderOf } from './etcd.ts';
import { heard } from './observed-records.ts';
import type { ClusterRecord, GuestRecord } from './records.ts';
import type { Roster } from './roster.ts';
import type { Host } from './world.ts';

/** A responding API server and its machine. */
export interface Reached {
  cluster: Cluster;
  guest: GuestRecord;
}

export interface ClustersOptions {
  storage: Storage;
  clock: Clock;
  random: Random;
  notifier: () => Notifier;
  log?: Log;
  speed: number;
  requireCni: boolean;
  guests: Pick<Roster, 'get' | 'of'>;
  /** The machine is terminated, and no object of a cluster refers to it any more. */
  forget: (instanceId: string) => void;
  /** The cluster's record has changed. */
  onChange: (id: string) => void;
  services: () => GuestServices;
}

export interface Clusters {
  /** Creates the cluster, or returns the one with that id. */
  open(record: ClusterRecord): Cluster;
  get(id: string): Cluster | undefined;
  all(): Cluster[];
  save(cluster: Cluster): void;
  isRunning(instanceId: string): boolean;
  /** Whether the machine's API server runs: its etcd member is still in the cluster. */
  runsApiServer(guest: GuestRecord): boolean;
  /** Whether its API server serves requests. */
  isServing(guest: GuestRecord): boolean;
  /** The first machine in service behind a listener whose API server responds. */
  behind(listener: HostedListener | undefined): Reached | undefined;
  /** What a machine of the network reaches at host:port: a load balancer, or a machine itself. */
  at(host: string, port: number): Reached | undefined;
  /**
   * Reports that the machine is down. A cluster without any remaining etcd member is deleted with
   * its data.
   */
  halted(guest: GuestRecord): void;
  stop(): void;
}

export const createClusters = (options: ClustersOptions): Clusters => {
  const { storage, clock, random, speed, requireCni, log, guests } = options;
  const records = heard<ClusterRecord>(storage.records('workload-clusters'), options.onChange);
  const open = new Map<string, Cluster>();

  const isRunning = (instanceId: string): boolean => {
    const record = guests.get(instanceId);
    return record !== undefined && record.haltedAt === undefined;
  };
  const runsApiServer = (record: GuestRecord): boolean => {
    const cluster = record.kubelet && open.get(record.kubelet.cluster);
    return (
      cluster !== undefined &&
      record.haltedAt === undefined &&
      record.kubelet?.apiServer !== undefined &&
      cluster.record.etcd.members.some((member) => member.instanceId === record.instance.instanceId)
    );
  };
  const isServing = (record: GuestRecord): boolean =>
    runsApiServer(record) && hasQuorum(open.get(record.kubelet!.cluster)!.record.etcd, isRunning);

  const hostsOf = (id: string): Host[] =>
    guests
      .of(id)
      .filter(({ isHosted }) => !isHosted)
      .map(({ instance, kubelet, haltedAt, isEnded, ailment, illComponent }) => ({
        instance,
        kubelet: kubelet!,
        ...(haltedAt !== undefined && { haltedAt }),
        ...(isEnded && { isEnded }),
        ...(ailment && { ailment }),
        ...(illComponent && { illComponent }),
      }));

  const audit = createAuditBackend({ clock, speed, services: options.services, isRunning });

  const start = (record: ClusterRecord): Cluster => {
    const cluster = openCluster({
      record,
      table: storage.table(`workload-${record.id}`),
      clock,
      random,
      notifier: options.notifier(),
      ...(log && { log }),
      speed,
      requireCni,
      hosts: () => hostsOf(record.id),
      forget: ({ instance: { instanceId } }) => {
        if (!record.etcd.members.some((member) => member.instanceId === instanceId)) options.forget(instanceId);
      },
      isServing: () => guests.of(record.id).some(isServing),
      save: () => records.put(record.id, record),
      // The cluster's controllers, and nearly all clients, use the first one that serves.
      audit: (events) => {
        const guest = guests.of(record.id).find(isServing);
        if (guest?.kubelet?.apiServer?.audit) for (const event of events()) audit.record(guest, event);
      },
    });
    open.set(record.id, cluster);
    return cluster;
  };

  const destroy = (cluster: Cluster): void => {
    cluster.stop();
    const { id } = cluster.record;
    open.delete(id);
    // The record is deleted last, so that a restart completes an interrupted deletion.
    storage.dropTable(`workload-${id}`);
    records.delete(id);
    for (const { instance, haltedAt } of guests.of(id)) if (haltedAt !== undefined) options.forget(instance.instanceId);
  };
  const hasMembers = ({ etcd }: ClusterRecord) => etcd.members.some((member) => isRunning(member.instanceId));

  for (const [, record] of records.entries()) {
    const cluster = start(record);
    if (!hasMembers(record)) destroy(cluster);
  }

  const reachedBy = (record: GuestRecord | undefined, port: number): Reached | undefined =>
    record?.kubelet?.apiServer?.port === port && isServing(record)
      ? { cluster: open.get(record.kubelet.cluster)!, guest: record }
      : undefined;
  const behind: Clusters['behind'] = (listener) => {
    for (const { instanceId, port } of listener?.healthyTargets() ?? []) {
      const reached = reachedBy(guests.get(instanceId), port);
      if (reached) return reached;
    }
    return undefined;
  };
  const machineAt = (host: string): GuestRecord | undefined =>
    [...open.keys()].flatMap((id) => guests.of(id)).find(({ instance }) => instance.privateIp === host);
  const hostedAt = (host: string, port: number): Reached | undefined =>
    host === '127.0.0.1'
      ? [...open.keys()].map((id) => reachedBy(guests.get(id), port)).find((reached) => reached !== undefined)
      : undefined;

  return {
    open: (record) => {
      const known = open.get(record.id);
      if (known) return known;
      records.put(record.id, record);
      return start(record);
    },
    get: (id) => open.get(id),
    all: () => [...open.values()],
    save: ({ record }) => records.put(record.id, record),
    isRunning,
    runsApiServer,
    isServing,
    behind,
    at: (host, port) =>
      behind(options.services().endpoint(host, port)) ?? reachedBy(machineAt(host), port) ?? hostedAt(host, port),
    halted: (record) => {
      const id = record.kubelet?.cluster ?? record.instance.instanceId;
      const cluster = open.get(id);
      if (!record.kubelet) options.forget(record.instance.instanceId);
      if (!cluster) return;
      const { etcd } = cluster.record;
      if (!hasMembers(cluster.record)) {
        destroy(cluster);
        return;
      }
      // The elected leader stays when the previous one returns.
      const leader = leaderOf(etcd, isRunning)?.id;
      if (leader !== undefined && leader !== etcd.leader) {
        etcd.leader = leader;
        records.put(id, cluster.record);
      }
      cluster.poke();
    },
    stop: () => {
      audit.stop();
      for (const cluster of open.values()) cluster.stop();
    },
  };
};
