/** What a restore that is cancelled has done already, and what that forbids. Pure. */
import { isOfRestore } from '../../core/contract/restore.ts';
import type { Left } from '../shared/facts.ts';
import { disksIn } from './messages.ts';

/** None before it has stopped a Machine. */
export const leftByRestore: Left = ({ metadata, spec, status = {} }, _, machines) => {
  const verdictOf = (step: string) => status.steps?.find(({ name }) => name === step)?.verdict;
  if (verdictOf('StopMembers') === undefined) return [];
  const [first] = machines.filter((machine) => isOfRestore(machine, { uid: metadata.uid ?? '' }));
  const again = (snapshot: string) => `capstan snapshot restore ${snapshot} -n ${metadata.namespace ?? ''}`;
  const now =
    verdictOf('RestoreFirst') === 'Succeeded'
      ? 'etcd serves the snapshot: Machines that have not joined follow their specs, and workers without a Node are not replaced'
      : first
        ? `Machine ${first.metadata.name} stays: once it serves the snapshot, the control plane follows its spec`
        : `The cluster stays without an API server until another restore: ${again(spec?.snapshot ?? '')}`;
  return [
    'The control-plane Machines of before are deleted, and what was written since the snapshot with them',
    now,
    status.before === undefined
      ? (disksIn(status) ?? 'The state before the restore was not saved, so that nothing brings it back')
      : `Only this brings the state before the restore back: ${again(status.before)}`,
  ];
};
