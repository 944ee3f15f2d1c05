/** The running machines, by cluster. */
import type { GuestRecord } from './records.ts';

export interface Roster {
  get(instanceId: string): GuestRecord | undefined;
  set(record: GuestRecord): void;
  /**
   * Its kubelet has joined a cluster, which never changes; reported again when kubeadm runs again.
   */
  joined(record: GuestRecord): void;
  delete(instanceId: string): void;
  all(): GuestRecord[];
  /** Machines whose kubelet joined this cluster, in the order of their start. */
  of(cluster: string): readonly GuestRecord[];
}

interface Place {
  record: GuestRecord;
  order: number;
}

export const createRoster = (records: Iterable<GuestRecord>): Roster => {
  const places = new Map<string, Place>();
  const members = new Map<string, Place[]>();
  /** Cached, because every request to an API server reads them. */
  const lists = new Map<string, readonly GuestRecord[]>();
  let registrations = 0;

  const set = (record: GuestRecord): void => {
    const { instanceId } = record.instance;
    if (places.get(instanceId)?.record === record) return;
    remove(instanceId);
    const place = { record, order: registrations++ };
    places.set(instanceId, place);
    enlist(place);
  };
  const remove = (instanceId: string): void => {
    const place = places.get(instanceId);
    if (!place) return;
    places.delete(instanceId);
    const cluster = place.record.kubelet?.cluster ?? '';
    lists.delete(cluster);
    const rest = (members.get(cluster) ?? []).filter((other) => other !== place);
    if (rest.length > 0) members.set(cluster, rest);
    else members.delete(cluster);
  };
  const enlist = (place: Place): void => {
    const { kubelet } = place.record;
    if (!kubelet) return;
    const others = members.get(kubelet.cluster) ?? [];
    if (others.includes(place)) return;
    lists.delete(kubelet.cluster);
    members.set(
      kubelet.cluster,
      [...others, place].sort((a, b) => a.order - b.order),
    );
  };
  for (const record of records) set(record);

  return {
    get: (instanceId) => places.get(instanceId)?.record,
    set,
    joined: (record) => {
      const place = places.get(record.instance.instanceId);
      if (place?.record === record) enlist(place);
    },
    delete: remove,
    all: () => [...places.values()].map(({ record }) => record),
    of: (cluster) => {
      const list = lists.get(cluster) ?? (members.get(cluster) ?? []).map(({ record }) => record);
      if (list.length > 0) lists.set(cluster, list);
      return list;
    },
  };
};
