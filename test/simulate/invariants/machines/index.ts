import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { madeFor } from '../relations.ts';
import type { Rule, Rules } from '../rule.ts';
import { instances } from './instances.ts';
import { launch } from './launch.ts';
import { remediation } from './remediation.ts';

/** An Event is written after the status that it reports. */
const soon = 5 * 60_000;

const terminatedOutside: Rule = ({ world, has }, broken) => {
  const { clock } = world;
  const reported = new Set<string>();
  /** By uid: since when the status reports the instance terminated. */
  const since = new Map<string, number>();
  const expectEvent = (uid: string, name: string) => {
    const at = since.get(uid);
    if (at === undefined || reported.has(uid) || clock.now() - at < soon) return;
    // A worker that crashes or fails after the status write sends no Event.
    if (has('worker.crashed') || has('worker.frozen') || has('table.throttled') || has('table.unknown')) return;
    throw broken(`no Event reports that the instance of ${name} was terminated`);
  };
  return {
    onCommit: ({ type, uid, event, object, before }) => {
      if (type === 'events') {
        const { type: severity, involvedObject } = (object ?? {}) as {
          type?: string;
          involvedObject?: KubeObject['metadata'];
        };
        if (severity === 'Warning' && involvedObject?.uid) reported.add(involvedObject.uid);
      }
      if (event === 'DELETED' && before?.kind === 'AWSMachine') expectEvent(uid, before.metadata.name);
      if (object?.kind !== 'AWSMachine') return;
      const { metadata, status } = object as AWSMachine;
      const isEnded = status?.instanceState === 'terminated' && !metadata.deletionTimestamp;
      if (isEnded && !status.failureReason)
        throw broken(`${metadata.name} reports no failure although its instance is terminated`);
      if (isEnded && !since.has(uid)) since.set(uid, clock.now());
    },
    atEnd: () => {
      for (const { metadata } of world.mirror.all<AWSMachine>('AWSMachine')) expectEvent(metadata.uid!, metadata.name);
    },
  };
};

const machineUid = 'capstan.dev/machine-uid';

interface Allocation {
  PublicIpv4Pool?: string;
  TagSpecifications?: { Tags: { Key: string; Value: string }[] }[];
}

const elasticIps: Rule = ({ world: { account, mirror } }, broken) => ({
  onCall: ({ action, input }) => {
    if (action !== 'AllocateAddress') return;
    const { PublicIpv4Pool: from, TagSpecifications: [first] = [] } = input as Allocation;
    const machine = madeFor(mirror, first?.Tags);
    const { publicIpv4Pool: pool, publicIpv4PoolFallbackOrder: otherwise } = machine?.spec?.elasticIpPool ?? {};
    if (pool && from !== pool && otherwise !== 'amazon-pool')
      throw broken(`the elastic IP of ${machine!.metadata.name} is from pool ${from}, not ${pool}`);
  },
  atEnd: () => {
    const machines = mirror.all<AWSMachine>('AWSMachine');
    const all = account.list().filter(({ type, tags }) => type === 'elastic-ip' && tags[machineUid]);
    for (const { id, tags } of all)
      if (!machines.some(({ metadata }) => metadata.uid === tags[machineUid]))
        throw broken(`elastic IP ${id} remains although its machine ${tags.MachineName} is gone`);
    for (const { metadata, spec, status } of machines) {
      if (!spec?.elasticIpPool || !status?.ready || metadata.deletionTimestamp) continue;
      const own = all.filter(({ tags, state }) => tags[machineUid] === metadata.uid && state === 'associated');
      if (own.length !== 1) throw broken(`${metadata.name} has ${own.length} associated elastic IPs, not 1`);
    }
  },
});

export const machinesRules: Rules = {
  'a machine whose instance was terminated outside reports its failure': terminatedOutside,
  'elastic IPs come from the right pool and go with their machine': elasticIps,
  'each machine has one instance, and each launch one client token': instances,
  'instances are launched as their AWSMachine asks': launch,
  'remediation respects its retry period, its limits and its order': remediation,
};
