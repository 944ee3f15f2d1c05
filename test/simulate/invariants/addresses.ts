/**
 * In the end each machine that is to have a public address of its own has one, and nobody pays for one of a machine that is gone.
 * All are from where their machines say.
 */
import type { AWSMachine } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { madeFor } from './whose.ts';

const machineUid = 'capstan.dev/machine-uid';

interface Allocation {
  PublicIpv4Pool?: string;
  TagSpecifications?: { Tags: { Key: string; Value: string }[] }[];
}

export const addresses = ({ world: { account, mirror } }: Setting): Invariant => ({
  onCall: ({ action, input }) => {
    if (action !== 'AllocateAddress') return;
    const { PublicIpv4Pool: from, TagSpecifications: [first] = [] } = input as Allocation;
    const machine = madeFor(mirror, first?.Tags);
    const { publicIpv4Pool: pool, publicIpv4PoolFallbackOrder: otherwise } = machine?.spec?.elasticIpPool ?? {};
    if (pool && from !== pool && otherwise !== 'amazon-pool')
      throw new Violation('addresses', `that of ${machine!.metadata.name} is to be from ${pool}, and is from ${from}`);
  },
  atEnd: () => {
    const machines = mirror.all<AWSMachine>('AWSMachine');
    const all = account.list().filter(({ type, tags }) => type === 'elastic-ip' && tags[machineUid]);
    for (const { id, tags } of all)
      if (!machines.some(({ metadata }) => metadata.uid === tags[machineUid]))
        throw new Violation('addresses', `${id} of ${tags.MachineName} is kept, which is gone`);
    for (const { metadata, spec, status } of machines) {
      if (!spec?.elasticIpPool || !status?.ready || metadata.deletionTimestamp) continue;
      const own = all.filter(({ tags, state }) => tags[machineUid] === metadata.uid && state === 'associated');
      if (own.length !== 1) throw new Violation('addresses', `${metadata.name} has ${own.length} addresses of its own`);
    }
  },
});
