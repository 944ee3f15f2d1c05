/** In the end each machine that is to have a public address of its own has one, and nobody pays for one of a machine that is gone. */
import type { AWSMachine } from '../../../kinds/aws-machine/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const machineUid = 'capstan.dev/machine-uid';

export const addresses = ({ world: { account, mirror } }: Setting): Invariant => ({
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
